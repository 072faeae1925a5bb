/* A library with a function that looks like one of a later MPI. */
#include <mpi.h>

int MPI_Teleport(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? MPI_SUCCESS : MPI_ERR_COMM;
}
