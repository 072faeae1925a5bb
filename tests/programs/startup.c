/* startup: how long a program that does nothing is in MPI.
 *
 *     startup
 *
 * Rank 0 prints the milliseconds from before MPI_Init to behind MPI_Finalize, all ranks having passed a barrier between.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * time.tv_sec + time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    int rank;
    double start = now();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("%.2f\n", now() - start);
    return 0;
}
