/* subcomm: point-to-point inside every kind of communicator whose ranks are not world ranks.
 *
 *     subcomm COLUMNS [BYTES=1000] [ITERATIONS=3]
 *
 * The world is cut into rows of COLUMNS ranks. Traffic runs round every row in reversed rank order,
 * along every column of a duplicate, and in a communicator made from a group. Each kind has its own
 * message size. (Intercommunicators have a program of their own: Open MPI's monitoring component
 * counts the library's handshake when one is made as messages of the program.)
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

/* Once round the ring of `ring`, `bytes` a rank. */
static void shift(MPI_Comm ring, char *outgoing, char *incoming, int bytes)
{
    int rank, size;
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    MPI_Sendrecv(outgoing, bytes, MPI_BYTE, (rank + 1) % size, 1, incoming, bytes, MPI_BYTE,
                 (rank + size - 1) % size, 1, ring, MPI_STATUS_IGNORE);
}

/* Every second rank of the world, last one first. */
static MPI_Comm every_second(int ranks)
{
    MPI_Group world, chosen;
    MPI_Comm comm;
    int range[1][3] = { { (ranks - 1) / 2 * 2, 0, -2 } };
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &chosen);
    MPI_Comm_create(MPI_COMM_WORLD, chosen, &comm);
    MPI_Group_free(&world);
    MPI_Group_free(&chosen);
    return comm;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int columns = argument(argc, argv, 1, 2), bytes = argument(argc, argv, 2, 1000);
    int iterations = argument(argc, argv, 3, 3);

    MPI_Comm row, column, twin, chosen = every_second(ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, -rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
    MPI_Comm_dup(column, &twin);

    char *outgoing = calloc(3, bytes), *incoming = calloc(3, bytes);
    for (int i = 0; i < iterations; i++) {
        shift(row, outgoing, incoming, bytes);
        shift(twin, outgoing, incoming, 2 * bytes);
        if (chosen != MPI_COMM_NULL)
            shift(chosen, outgoing, incoming, 3 * bytes);
    }
    free(outgoing);
    free(incoming);

    /* Freed and made again: a handle value may return for another group. */
    MPI_Comm_free(&row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &row);
    char last[16] = "";
    shift(row, last, last + 8, 8);

    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Comm_free(&twin);
    if (chosen != MPI_COMM_NULL)
        MPI_Comm_free(&chosen);
    MPI_Finalize();
    return 0;
}
