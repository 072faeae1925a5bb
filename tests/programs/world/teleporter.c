/* A library with a function whose name looks like a function of a later MPI. */
#include <mpi.h>

int MPI_Teleport(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? MPI_SUCCESS : MPI_ERR_COMM;
}
