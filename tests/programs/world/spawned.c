/* Spawned children see their parents by the new ranks. The world of the children is as the launcher
 * has made it. */
#include "world.h"

int main(int argc, char **argv)
{
    int rank, size, word;
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        /* Every parent tells child 0 its number. */
        MPI_Send(&rank, 1, MPI_INT, 0, 3, children);
        /* A child of MPICH 5.0 opens a parent's shared memory when it reads that parent's first
         * message, which fails if the parent has ended by then. MPI_Comm_disconnect does not wait
         * for that. */
        MPI_Barrier(children);
        MPI_Comm_disconnect(&children);
        if (rank == 0)
            fputs("parents done\n", stdout);
    } else {
        int parents;
        MPI_Comm_remote_size(parent, &parents);
        for (int i = 0; rank == 0 && i < parents; i++) {
            MPI_Recv(&word, 1, MPI_INT, i, 3, parent, MPI_STATUS_IGNORE);
            CHECK(word == i);
        }
        CHECK(size == 2);
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
