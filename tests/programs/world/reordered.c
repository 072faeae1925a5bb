/* A ring of ranks, made by one of four functions with reorder = 1, in which every rank exchanges
 * messages with its neighbours.
 *
 *     reordered adjacent|graph|list|grid BYTES TIMES
 *
 * The neighbours must be those that were declared for the new rank, weights and order included.
 * Rank 0 prints the milliseconds of the slowest rank. */
#include "world.h"

int main(int argc, char **argv)
{
    int rank, size, now, got[2] = {-1, -1};
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int bytes = atoi(argv[2]), times = atoi(argv[3]);
    int around[2] = {(rank + size - 1) % size, (rank + 1) % size}, weights[2] = {rank + 1, rank + 2};
    if (!strcmp(argv[1], "adjacent")) {
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, weights, 2, around, weights, MPI_INFO_NULL, 1, &ring);
    } else if (!strcmp(argv[1], "graph")) {
        /* Each declares the edges of the next one. */
        int node = around[1], degree = 2, to[2] = {rank, (rank + 2) % size};
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &node, &degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &ring);
    } else if (!strcmp(argv[1], "list")) {
        int ends[256], to[512];
        for (int i = 0; i < size; i++) {
            ends[i] = 2 * i + 2;
            to[2 * i] = (i + size - 1) % size;
            to[2 * i + 1] = (i + 1) % size;
        }
        MPI_Graph_create(MPI_COMM_WORLD, size, ends, to, 1, &ring);
    } else {
        int period = 1, mapped;
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 1, &ring);
        MPI_Cart_map(MPI_COMM_WORLD, 1, &size, &period, &mapped);
        MPI_Comm_rank(ring, &now);
        CHECK(mapped == now);
    }
    MPI_Comm_rank(ring, &now);
    int before = (now + size - 1) % size, next = (now + 1) % size;
    if (!strcmp(argv[1], "adjacent")) {
        int into[2], of_into[2], out[2], of_out[2];
        MPI_Dist_graph_neighbors(ring, 2, into, of_into, 2, out, of_out);
        CHECK(into[0] == before && into[1] == next && out[0] == before && out[1] == next);
        CHECK(of_into[0] == now + 1 && of_into[1] == now + 2 && of_out[0] == now + 1 && of_out[1] == now + 2);
    }
    MPI_Neighbor_allgather(&now, 1, MPI_INT, got, 1, MPI_INT, ring);
    CHECK((got[0] == before && got[1] == next) || (got[0] == next && got[1] == before));
    char *out = calloc(2, bytes), *in = calloc(2, bytes);
    MPI_Barrier(ring);
    double begun = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        MPI_Request requests[4];
        MPI_Irecv(in, bytes, MPI_BYTE, before, 0, ring, &requests[0]);
        MPI_Irecv(in + bytes, bytes, MPI_BYTE, next, 1, ring, &requests[1]);
        MPI_Isend(out, bytes, MPI_BYTE, next, 0, ring, &requests[2]);
        MPI_Isend(out + bytes, bytes, MPI_BYTE, before, 1, ring, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    double took = MPI_Wtime() - begun, longest;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, ring);
    MPI_Comm_free(&ring);
    if (now == 0)
        printf("%.3f\n", 1e3 * longest);
    MPI_Finalize();
    return 0;
}
