/* irregular: a random communication graph that is the same on every run.
 *
 *     irregular PARTNERS BYTES [ITERATIONS=3] [SEED=1]
 *
 * Every rank draws PARTNERS receivers (with repetition, itself included) and a size of 0 to
 * BYTES - 1 for each; all ranks draw the whole graph, so everybody knows what to expect. Messages
 * of different iterations are nonblocking and complete together.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

struct edge {
    int source, destination, bytes;
};

/* Marsaglia's xorshift64: the same numbers under every C library. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void draw_graph(struct edge *edges, int ranks, int partners, int bytes, int seed)
{
    uint64_t state = 0x9E3779B97F4A7C15u ^ (uint64_t)seed;
    for (int i = 0; i < ranks * partners; i++) {
        edges[i].source = i / partners;
        edges[i].destination = (int)(draw(&state) % (uint64_t)ranks);
        edges[i].bytes = (int)(draw(&state) % (uint64_t)bytes);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int partners = argument(argc, argv, 1, 4), bytes = argument(argc, argv, 2, 4096);
    int iterations = argument(argc, argv, 3, 3);

    int edge_count = ranks * partners;
    struct edge *edges = malloc(sizeof *edges * (size_t)edge_count);
    draw_graph(edges, ranks, partners, bytes, argument(argc, argv, 4, 1));

    /* A self-message uses two requests. */
    MPI_Request *requests = malloc(sizeof *requests * 2 * (size_t)edge_count);
    char *outgoing = calloc(1, bytes), *incoming = malloc((size_t)edge_count * bytes);
    for (int it = 0; it < iterations; it++) {
        int open = 0;
        for (int e = 0; e < edge_count; e++)
            if (edges[e].destination == rank)
                MPI_Irecv(incoming + (size_t)e * bytes, edges[e].bytes, MPI_BYTE, edges[e].source, e,
                          MPI_COMM_WORLD, &requests[open++]);
        for (int e = 0; e < edge_count; e++)
            if (edges[e].source == rank)
                MPI_Isend(outgoing, edges[e].bytes, MPI_BYTE, edges[e].destination, e, MPI_COMM_WORLD,
                          &requests[open++]);
        MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    }
    free(edges);
    free(requests);
    free(outgoing);
    free(incoming);
    MPI_Finalize();
    return 0;
}
