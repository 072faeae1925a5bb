/* A library, to be loaded before an MPI library, which makes MPI_Allreduce slow on every
   communicator but the world: as where only the world has a fast path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

int PMPI_Allreduce(const void *from, void *into, int number, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    static int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    if (comm != MPI_COMM_WORLD)
        usleep(5000);
    return next(from, into, number, type, op, comm);
}
