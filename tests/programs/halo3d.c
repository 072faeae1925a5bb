/* halo3d: the halo exchange of a 3D code on a Cartesian communicator.
 *
 *     halo3d PX PY PZ BYTES [ITERATIONS=3] [NEIGHBOURS=6|26] [PERIODIC=1]
 *
 * The boxes are longer in the later dimensions, so faces of different directions have different
 * sizes: a message to offset (a, b, c) carries BYTES >> (2|a| + |b|), and an eighth of that for
 * every further dimension it crosses. Blocking sends, receives posted first.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

enum { DIMENSIONS = 3, OFFSETS = 27 };

static void offset_of(int index, int offset[DIMENSIONS])
{
    offset[0] = index / 9 - 1;
    offset[1] = index / 3 % 3 - 1;
    offset[2] = index % 3 - 1;
}

static int crossed(const int offset[DIMENSIONS])
{
    return abs(offset[0]) + abs(offset[1]) + abs(offset[2]);
}

static int message_size(const int offset[DIMENSIONS], int bytes)
{
    return bytes >> (2 * abs(offset[0]) + abs(offset[1]) + 3 * (crossed(offset) - 1));
}

/* The rank at `offset` from this one, MPI_PROC_NULL outside an open box. */
static int neighbour(MPI_Comm box, const int offset[DIMENSIONS])
{
    int rank, dims[DIMENSIONS], periods[DIMENSIONS], at[DIMENSIONS];
    MPI_Cart_get(box, DIMENSIONS, dims, periods, at);
    for (int d = 0; d < DIMENSIONS; d++) {
        at[d] += offset[d];
        if (!periods[d] && (at[d] < 0 || at[d] >= dims[d]))
            return MPI_PROC_NULL;
    }
    MPI_Cart_rank(box, at, &rank);
    return rank;
}

static void exchange(MPI_Comm box, int bytes, int most_crossed, char *outgoing, char *incoming)
{
    MPI_Request receives[OFFSETS];
    int posted = 0, offset[DIMENSIONS];
    for (int i = 0; i < OFFSETS; i++) {
        offset_of(i, offset);
        if (crossed(offset) == 0 || crossed(offset) > most_crossed)
            continue;
        /* A message tagged i travels towards offset i, so it comes from the mirrored one. */
        int mirrored[DIMENSIONS] = { -offset[0], -offset[1], -offset[2] };
        MPI_Irecv(incoming + (size_t)posted * bytes, message_size(offset, bytes), MPI_BYTE,
                  neighbour(box, mirrored), i, box, &receives[posted]);
        posted++;
    }
    for (int i = 0; i < OFFSETS; i++) {
        offset_of(i, offset);
        if (crossed(offset) == 0 || crossed(offset) > most_crossed)
            continue;
        MPI_Send(outgoing, message_size(offset, bytes), MPI_BYTE, neighbour(box, offset), i, box);
    }
    MPI_Waitall(posted, receives, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int dims[DIMENSIONS] = { argument(argc, argv, 1, 0), argument(argc, argv, 2, 0),
                             argument(argc, argv, 3, 0) };
    int bytes = argument(argc, argv, 4, 4096);
    int iterations = argument(argc, argv, 5, 3);
    int most_crossed = argument(argc, argv, 6, 6) == 26 ? 3 : 1;
    int periodic = argument(argc, argv, 7, 1);
    int periods[DIMENSIONS] = { periodic, periodic, periodic };

    int ranks;
    MPI_Comm box;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, DIMENSIONS, dims);
    MPI_Cart_create(MPI_COMM_WORLD, DIMENSIONS, dims, periods, 0, &box);

    char *outgoing = calloc(1, bytes), *incoming = calloc(OFFSETS, bytes);
    for (int i = 0; i < iterations; i++)
        exchange(box, bytes, most_crossed, outgoing, incoming);
    free(outgoing);
    free(incoming);
    MPI_Comm_free(&box);
    MPI_Finalize();
    return 0;
}
