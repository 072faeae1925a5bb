/* transpose: the exchanges of a fast Fourier transform in two dimensions.
 *
 *     transpose COLUMNS [BYTES=100000] [ITERATIONS=3]
 *
 * The world is a grid of rows of COLUMNS ranks. In every iteration each row, then each column,
 * exchanges BYTES between any two of its ranks with MPI_Alltoall. Prints what that has to move, in
 * lines
 *
 *     sent SOURCE DESTINATION BYTES MESSAGES
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

static void exchange(MPI_Comm comm, const char *outgoing, char *incoming, int bytes)
{
    MPI_Alltoall(outgoing, bytes, MPI_BYTE, incoming, bytes, MPI_BYTE, comm);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int columns = argument(argc, argv, 1, 2), bytes = argument(argc, argv, 2, 100000);
    int iterations = argument(argc, argv, 3, 3);

    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
    char *outgoing = calloc(ranks, bytes), *incoming = calloc(ranks, bytes);
    for (int i = 0; i < iterations; i++) {
        exchange(row, outgoing, incoming, bytes);
        exchange(column, outgoing, incoming, bytes);
    }
    for (int other = 0; other < ranks; other++)
        if (other != rank && (other / columns == rank / columns || other % columns == rank % columns))
            printf("sent %d %d %ld %d\n", rank, other, (long)bytes * iterations, iterations);
    free(outgoing);
    free(incoming);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
