/* latency: how long a small message takes from rank 0 to rank 1.
 *
 *     latency [BYTES=8] [TRIPS=20000] [BATCHES=30]
 *
 * Rank 0 prints the nanoseconds of half a round trip in the fastest batch, the batch that other
 * work disturbed least.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    double best = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argument(argc, argv, 1, 8);
    int trips = argument(argc, argv, 2, 20000);
    int batches = argument(argc, argv, 3, 30);
    char *buffer = calloc(1, bytes + 1);
    for (int batch = 0; batch < batches; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int trip = 0; trip < trips; trip++) {
            if (rank == 0)
                MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            if (rank < 2)
                MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        double time = 1e9 * (MPI_Wtime() - start) / (2.0 * trips);
        if (batch == 0 || time < best)
            best = time;
    }
    if (rank == 0)
        printf("%.2f\n", best);
    free(buffer);
    MPI_Finalize();
    return 0;
}
