/* A communicator whose error handler nobody has set follows that of the world in MPICH. */
#include "world.h"

int main(int argc, char **argv)
{
    int size, word = 0;
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(&word, 1, MPI_INT, size, 0, twin) != MPI_SUCCESS);
    MPI_Comm_free(&twin);
    fputs("returned\n", stdout);
    MPI_Finalize();
    return 0;
}
