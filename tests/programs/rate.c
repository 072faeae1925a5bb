/* rate: how many small messages a second rank 0 can send to rank 1.
 *
 *     rate [BYTES=8] [WINDOW=64] [WINDOWS=2000] [BATCHES=30]
 *
 * WINDOW nonblocking messages are under way at a time, and an empty message back closes each
 * window. Rank 0 prints the messages a second of the fastest batch, the batch that other work
 * disturbed least.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

enum { LARGEST_WINDOW = 1024 };

static int rank, bytes, window, windows;
static char *buffer;

static double batch(void)
{
    MPI_Request requests[LARGEST_WINDOW];
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int w = 0; w < windows; w++) {
        for (int i = 0; i < window; i++)
            if (rank == 0)
                MPI_Isend(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (double)window * windows / (MPI_Wtime() - start);
}

int main(int argc, char **argv)
{
    double best = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bytes = argument(argc, argv, 1, 8);
    window = argument(argc, argv, 2, 64);
    windows = argument(argc, argv, 3, 2000);
    int batches = argument(argc, argv, 4, 30);
    if (window > LARGEST_WINDOW)
        window = LARGEST_WINDOW;
    buffer = calloc(1, bytes + 1);
    for (int i = 0; i < batches; i++) {
        double rate = batch();
        if (rate > best)
            best = rate;
    }
    if (rank == 0)
        printf("%.0f\n", best);
    free(buffer);
    MPI_Finalize();
    return 0;
}
