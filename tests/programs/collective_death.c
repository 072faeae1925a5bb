/* collective_death: ten broadcasts within the odd and the even ranks, ten reductions of all, and
 * the end of rank 1. */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char bytes[1000];
    static double numbers[100], sums[100];
    int rank;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 10; i++) {
        MPI_Bcast(bytes, 1000, MPI_BYTE, 1, half);
        MPI_Allreduce(numbers, sums, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    /* A collective is counted when it returns, so the other ranks get time to return from it. */
    sleep(1);
    if (rank == 1)
        raise(SIGKILL);
    pause();
    return 0;
}
