/* grouped: communicators that are made of another one in every way, after that one has been used.
 *
 *     grouped [ROUNDS=2]
 *
 * The communicators are made of the world, and of one with the ranks of the world in reverse order.
 * Some hold every rank in another order, some every second rank. In each of them, and in a
 * duplicate of it, every rank sends to the next one. Every way of making has a message size of its
 * own. `MPI_Alltoallw` gets arrays that are as long as the communicator has ranks, and what lies
 * behind the end of an array is no datatype. Every rank prints what it sent as lines
 * "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static char outgoing[4096], incoming[4096];

/* The rank in the world of a rank in `comm`. */
static int in_world(MPI_Comm comm, int rank)
{
    MPI_Group group, world;
    int found;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, 1, &rank, world, &found);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return found;
}

static void exchange(MPI_Comm comm, int ranks)
{
    int counts[MOST], offsets[MOST];
    MPI_Datatype types[MOST];
    memset(types, 0x5a, sizeof types);
    for (int rank = 0; rank < MOST; rank++) {
        counts[rank] = 1;
        offsets[rank] = rank;
        if (rank < ranks)
            types[rank] = MPI_CHAR;
    }
    MPI_Alltoallw(outgoing, counts, offsets, types, incoming, counts, offsets, types, comm);
}

static void use(MPI_Comm comm, int bytes)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int next = (rank + 1) % ranks;
    MPI_Sendrecv(outgoing, bytes, MPI_BYTE, next, 0, incoming, bytes, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 0, comm, MPI_STATUS_IGNORE);
    printf("sent %d %d %d 1\n", in_world(comm, rank), in_world(comm, next), bytes);
    exchange(comm, ranks);
}

/* Makes the group of every `step`-th rank of `comm`, last rank first. Returns whether this rank is
 * in the group. */
static int backwards(MPI_Comm comm, int step, MPI_Group *chosen)
{
    int ranks, own, range[1][3] = { { 0, 0, -step } };
    MPI_Group all;
    MPI_Comm_size(comm, &ranks);
    range[0][0] = (ranks - 1) / step * step;
    MPI_Comm_group(comm, &all);
    MPI_Group_range_incl(all, 1, range, chosen);
    MPI_Group_free(&all);
    MPI_Group_rank(*chosen, &own);
    return own != MPI_UNDEFINED;
}

static MPI_Comm of_group(MPI_Comm comm, int step)
{
    MPI_Group chosen;
    MPI_Comm made = MPI_COMM_NULL;
    if (backwards(comm, step, &chosen))
        MPI_Comm_create_group(comm, chosen, 7, &made);
    MPI_Group_free(&chosen);
    return made;
}

static MPI_Comm all_of_group(MPI_Comm comm) { return of_group(comm, 1); }
static MPI_Comm second_of_group(MPI_Comm comm) { return of_group(comm, 2); }

static MPI_Comm created(MPI_Comm comm)
{
    MPI_Group chosen;
    MPI_Comm made;
    backwards(comm, 2, &chosen);
    MPI_Comm_create(comm, chosen, &made);
    MPI_Group_free(&chosen);
    return made;
}

static MPI_Comm split(MPI_Comm comm)
{
    MPI_Comm made;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, rank % 2, -rank, &made);
    return made;
}

/* A grid that leaves the last rank out. */
static MPI_Comm grid(MPI_Comm comm)
{
    MPI_Comm made;
    int extent, around = 1;
    MPI_Comm_size(comm, &extent);
    extent--;
    MPI_Cart_create(comm, 1, &extent, &around, 0, &made);
    return made;
}

static MPI_Comm duplicate_with_info(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made);
    return made;
}

static MPI_Comm nonblocking_duplicate(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Request request;
    MPI_Comm_idup(comm, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return made;
}

static MPI_Comm (*const makers[])(MPI_Comm) = {
    all_of_group, second_of_group, created, split, grid, duplicate_with_info, nonblocking_duplicate,
};

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm twin, originals[2] = { MPI_COMM_WORLD };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &originals[1]);
    for (int round = 0; round < argument(argc, argv, 1, 2); round++) {
        for (int original = 0; original < 2; original++) {
            use(originals[original], 10);
            for (unsigned maker = 0; maker < sizeof makers / sizeof *makers; maker++) {
                MPI_Comm made = makers[maker](originals[original]);
                if (made == MPI_COMM_NULL)
                    continue;
                use(made, 100 << maker >> 1);
                MPI_Comm_dup(made, &twin);
                use(twin, (100 << maker >> 1) + 1);
                MPI_Comm_free(&twin);
                MPI_Comm_free(&made);
            }
        }
    }
    MPI_Comm_free(&originals[1]);
    MPI_Finalize();
    return 0;
}
