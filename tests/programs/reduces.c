/* reduces: sums over the world, of few numbers and of many.
 *
 *     reduces ELEMENTS [TIMED=100] [WARM_UP=10]
 *
 * Rank 0 prints the seconds of one MPI_Allreduce of ELEMENTS doubles; the time is that of the
 * slowest rank.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

static void sum(double *in, double *out, int elements, int times)
{
    for (int i = 0; i < times; i++)
        MPI_Allreduce(in, out, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int elements = argument(argc, argv, 1, 1);
    int timed = argument(argc, argv, 2, 100);
    double *in = calloc(elements, sizeof *in), *out = calloc(elements, sizeof *out);

    sum(in, out, elements, argument(argc, argv, 3, 10));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    sum(in, out, elements, timed);
    double mine = (MPI_Wtime() - start) / timed, slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("reduces elements=%d seconds=%.9f\n", elements, slowest);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
