/* one_way: rank 0 sends one message to every other rank; the others send nothing at all.
 * Rank 0 prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES". */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    char text[100] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int other = 1; other < ranks; other++) {
        if (rank == 0) {
            MPI_Send(text, sizeof text, MPI_CHAR, other, 0, MPI_COMM_WORLD);
            printf("sent 0 %d %zu 1\n", other, sizeof text);
        }
        if (rank == other)
            MPI_Recv(text, sizeof text, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
