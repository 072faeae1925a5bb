/* early: all messages come before the main loop, which only computes.
 *
 *     early MILLISECONDS [STATUS=0]
 *
 * Rank 0 sends every other rank its part of the input once. After the loop all ranks end with
 * STATUS.
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char part[10000];
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0)
        MPI_Recv(part, sizeof part, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int other = 1; rank == 0 && other < ranks; other++)
        MPI_Send(part, sizeof part, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    if (argc > 1)
        usleep(1000 * atoi(argv[1]));
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
