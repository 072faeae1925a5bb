/* neighbours: every neighbourhood collective on every kind of topology, each with its own size.
 *
 *     neighbours
 *
 * A ring that is open at its ends (Cartesian), the same as a graph, and a directed one in which
 * every rank sends to the next and to rank 0, all over the ranks in reverse, so that their numbers
 * are not those of the world. Every rank prints what it sent as lines "sent SOURCE DESTINATION
 * BYTES MESSAGES".
 */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4, LARGEST = 1 << 16 };

static char out[MOST * LARGEST], in[64 * LARGEST];

/* What this rank sends to each of its `degree` neighbours, world ranks or -1 for none. */
static int world, degree, sources, neighbours[MOST];

/* One collective at a time. */
static void told(int each)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < degree; i++)
        if (neighbours[i] >= 0)
            printf("sent %d %d %d 1\n", world, neighbours[i], each);
}

/* Another size for every neighbour. */
static void told_in_turn(int unit)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < degree; i++)
        if (neighbours[i] >= 0)
            printf("sent %d %d %d 1\n", world, neighbours[i], unit * (i + 1));
}

static void finish(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void same_for_all(MPI_Comm comm)
{
    MPI_Request request;
    int counts[64], offsets[64];
    for (int i = 0; i < sources; i++) {
        counts[i] = 4;
        offsets[i] = 4 * i;
    }
    MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    told(4);
    MPI_Neighbor_allgatherv(out, 4, MPI_BYTE, in, counts, offsets, MPI_BYTE, comm);
    told(4);
    MPI_Neighbor_alltoall(out, 16, MPI_BYTE, in, 16, MPI_BYTE, comm);
    told(16);
    MPI_Ineighbor_allgather(out, 32, MPI_BYTE, in, 32, MPI_BYTE, comm, &request);
    finish(request);
    told(32);
    MPI_Ineighbor_allgatherv(out, 4, MPI_BYTE, in, counts, offsets, MPI_BYTE, comm, &request);
    finish(request);
    told(4);
    MPI_Ineighbor_alltoall(out, 64, MPI_BYTE, in, 64, MPI_BYTE, comm, &request);
    finish(request);
    told(64);
}

/* With `scale` bytes to the first neighbour, twice as many to the second; the receiver must know
 * which one it is. */
static void to_each_its_own(MPI_Comm comm, const int *from_index)
{
    MPI_Request request;
    int sent[MOST], received[64], from[MOST], into[64];
    MPI_Aint from_bytes[MOST], into_bytes[64];
    MPI_Datatype bytes[64];
    for (int i = 0; i < degree; i++) {
        sent[i] = 128 * (i + 1);
        from_bytes[i] = from[i] = 1024 * i;
    }
    for (int i = 0; i < 64; i++) {
        bytes[i] = MPI_BYTE;
        received[i] = i < sources ? 128 * (from_index[i] + 1) : 0;
        into_bytes[i] = into[i] = 1024 * i;
    }
    MPI_Neighbor_alltoallv(out, sent, from, MPI_BYTE, in, received, into, MPI_BYTE, comm);
    told_in_turn(128);
    MPI_Ineighbor_alltoallv(out, sent, from, MPI_BYTE, in, received, into, MPI_BYTE, comm, &request);
    finish(request);
    told_in_turn(128);
    MPI_Neighbor_alltoallw(out, sent, from_bytes, bytes, in, received, into_bytes, bytes, comm);
    told_in_turn(128);
    MPI_Ineighbor_alltoallw(out, sent, from_bytes, bytes, in, received, into_bytes, bytes, comm, &request);
    finish(request);
    told_in_turn(128);
}

/* Started twice; the one that is never started must not count. Open MPI 4 has these as
 * extensions. */
static void persistent(MPI_Comm comm)
{
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
    MPI_Request request, idle;
    MPIX_Neighbor_alltoall_init(out, 256, MPI_BYTE, in, 256, MPI_BYTE, comm, MPI_INFO_NULL, &request);
    MPIX_Neighbor_allgather_init(out, 512, MPI_BYTE, in, 512, MPI_BYTE, comm, MPI_INFO_NULL, &idle);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        told(256);
    }
    MPI_Request_free(&request);
    MPI_Request_free(&idle);
#else
    (void)comm;
#endif
}

static void all_kinds(MPI_Comm comm, const int *from_index)
{
    same_for_all(comm);
    to_each_its_own(comm, from_index);
    persistent(comm);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Comm reverse, cart, graph, directed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world, &reverse);
    MPI_Comm_rank(reverse, &rank);
    /* Rank r of `reverse` is this one in the world. */
#define WORLD(r) (ranks - 1 - (r))

    /* The lower neighbour comes first, so what arrives from there was meant for its second, and the
     * reverse. */
    const int swapped[] = {1, 0};
    MPI_Cart_create(reverse, 1, &ranks, (int[]){0}, 0, &cart);
    degree = sources = 2;
    neighbours[0] = rank > 0 ? WORLD(rank - 1) : -1;
    neighbours[1] = rank + 1 < ranks ? WORLD(rank + 1) : -1;
    all_kinds(cart, swapped);

    int ends[64], edges[128];
    for (int i = 0; i < ranks; i++) {
        ends[i] = 2 * (i + 1);
        edges[2 * i] = (i + ranks - 1) % ranks;
        edges[2 * i + 1] = (i + 1) % ranks;
    }
    MPI_Graph_create(reverse, ranks, ends, edges, 0, &graph);
    neighbours[0] = WORLD(edges[2 * rank]);
    neighbours[1] = WORLD(edges[2 * rank + 1]);
    all_kinds(graph, swapped);

    int to[] = {(rank + 1) % ranks, 0}, from[64], from_index[64];
    sources = 0;
    from_index[sources] = 0;
    from[sources++] = (rank + ranks - 1) % ranks;
    for (int i = 0; rank == 0 && i < ranks; i++) {
        from_index[sources] = 1;
        from[sources++] = i;
    }
    MPI_Dist_graph_create_adjacent(reverse, sources, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &directed);
    neighbours[0] = WORLD(to[0]);
    neighbours[1] = WORLD(to[1]);
    all_kinds(directed, from_index);

    MPI_Comm_free(&directed);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&reverse);
    MPI_Finalize();
    return 0;
}
