/* kernels: the collectives of several kinds of solvers, on a grid of rows of COLUMNS ranks.
 *
 *     kernels KIND COLUMNS [ELEMENTS=4096] [ITERATIONS=4]
 *
 * KIND is one of
 *     pencils   a Fourier transform in three dimensions: in every iteration each row, then each
 *               column, exchanges blocks of unequal sizes with MPI_Alltoallv
 *     planes    a Fourier transform in three dimensions, divided into planes: every iteration
 *               transposes the array with MPI_Alltoall on the world and sums a checksum up with
 *               MPI_Reduce
 *     buckets   a sort of integers: in every iteration, sizes of buckets are summed up with
 *               MPI_Allreduce, numbers of keys are exchanged with MPI_Alltoall, and the keys, which
 *               are many in the middle and few at the ends, with MPI_Alltoallv
 *     rows      every row gathers blocks of all its ranks with MPI_Allgather, and rank 0 prints the
 *               seconds of an iteration
 *     panels    a factorisation of a dense matrix: panels that get shorter are broadcast along rows
 *               from one column after another, columns look for pivots with MPI_Allreduce and
 *               gather swapped rows with MPI_Allgather
 *     gradient  conjugate gradients with a two-dimensional matrix: vectors of unequal pieces are
 *               gathered in columns with MPI_Allgatherv and summed up along rows with
 *               MPI_Reduce_scatter; scalar products are sums over the world
 * ELEMENTS is the number of doubles in the largest message, or of keys of a rank.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256 };

struct group {
    MPI_Comm comm;
    int rank, ranks;
};

static struct group row, column;
static double *outgoing, *incoming;

static struct group split(int color, int key)
{
    struct group group;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &group.comm);
    MPI_Comm_rank(group.comm, &group.rank);
    MPI_Comm_size(group.comm, &group.ranks);
    return group;
}

/* How many of `elements` elements one rank of the group has: the first ranks have most. */
static int piece(const struct group *group, int elements, int rank)
{
    return elements / group->ranks + group->ranks - 1 - rank;
}

static void transpose(const struct group *group, int elements)
{
    int out[MOST], in[MOST], out_starts[MOST], in_starts[MOST];
    for (int other = 0, from = 0, to = 0; other < group->ranks; other++) {
        out[other] = piece(group, elements, other);
        in[other] = piece(group, elements, group->rank);
        out_starts[other] = from;
        in_starts[other] = to;
        from += out[other];
        to += in[other];
    }
    MPI_Alltoallv(outgoing, out, out_starts, MPI_DOUBLE, incoming, in, in_starts, MPI_DOUBLE, group->comm);
}

static void pencils(int elements, int iterations)
{
    for (int i = 0; i < iterations; i++) {
        transpose(&row, elements);
        transpose(&column, elements);
    }
}

static void planes(int elements, int iterations)
{
    int ranks;
    double sum[2] = {1, 0}, all[2];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int block = elements / ranks;
    for (int i = 0; i < iterations; i++) {
        MPI_Alltoall(outgoing, block, MPI_DOUBLE, incoming, block, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Reduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

/* A key is the mean of four draws, so that most keys are in the middle of their range. */
static int key(unsigned *state, int range)
{
    unsigned long long sum = 0;
    for (int draw = 0; draw < 4; draw++) {
        *state = *state * 1664525u + 1013904223u;
        sum += *state >> 8;
    }
    return (int)(sum * range >> 26);
}

static void buckets(int elements, int iterations)
{
    int rank, ranks, *keys = (int *)outgoing, *received = (int *)incoming;
    int count[MOST], sums[MOST], in[MOST], starts[MOST], in_starts[MOST];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned state = 12345 + rank;
    for (int i = 0; i < iterations; i++) {
        memset(count, 0, sizeof count);
        for (int n = 0; n < elements; n++)
            count[key(&state, ranks)]++;
        MPI_Allreduce(count, sums, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoall(count, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        for (int other = 0, from = 0, to = 0; other < ranks; other++) {
            starts[other] = from;
            in_starts[other] = to;
            from += count[other];
            to += in[other];
        }
        MPI_Alltoallv(keys, count, starts, MPI_INT, received, in, in_starts, MPI_INT, MPI_COMM_WORLD);
    }
}

static void rows(int elements, int iterations)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++)
        MPI_Allgather(outgoing, elements, MPI_DOUBLE, incoming, elements, MPI_DOUBLE, row.comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("rows iterations=%d seconds_per_exchange=%.6f\n", iterations, (MPI_Wtime() - start) / iterations);
}

static void panels(int elements, int iterations)
{
    struct {
        double value;
        int rank;
    } pivot = {0}, best;
    for (int i = 0; i < iterations; i++) {
        MPI_Allreduce(&pivot, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, column.comm);
        MPI_Bcast(outgoing, elements - elements / iterations * i, MPI_DOUBLE, i % row.ranks, row.comm);
        MPI_Allgather(outgoing, elements / column.ranks, MPI_DOUBLE, incoming, elements / column.ranks, MPI_DOUBLE, column.comm);
    }
}

static void gradient(int elements, int iterations)
{
    int gathered[MOST], starts[MOST], summed[MOST];
    for (int other = 0, start = 0; other < column.ranks; other++) {
        gathered[other] = piece(&column, elements, other);
        starts[other] = start;
        start += gathered[other];
    }
    for (int other = 0; other < row.ranks; other++)
        summed[other] = piece(&row, elements, other);
    for (int i = 0; i < iterations; i++) {
        double mine = 1, sum;
        MPI_Allgatherv(outgoing, gathered[column.rank], MPI_DOUBLE, incoming, gathered, starts, MPI_DOUBLE, column.comm);
        MPI_Reduce_scatter(outgoing, incoming, summed, MPI_DOUBLE, MPI_SUM, row.comm);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, known = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *kind = argc > 1 ? argv[1] : "";
    int columns = argument(argc, argv, 2, 2), elements = argument(argc, argv, 3, 4096);
    int iterations = argument(argc, argv, 4, 4);
    row = split(rank / columns, rank);
    column = split(rank % columns, rank);
    size_t most = (size_t)elements * (columns > ranks ? columns : ranks) + MOST * MOST;
    outgoing = calloc(most, sizeof(double));
    incoming = calloc(most, sizeof(double));
    if (strcmp(kind, "pencils") == 0)
        pencils(elements, iterations);
    else if (strcmp(kind, "planes") == 0)
        planes(elements, iterations);
    else if (strcmp(kind, "buckets") == 0)
        buckets(elements, iterations);
    else if (strcmp(kind, "rows") == 0)
        rows(elements, iterations);
    else if (strcmp(kind, "panels") == 0)
        panels(elements, iterations);
    else if (strcmp(kind, "gradient") == 0)
        gradient(elements, iterations);
    else
        known = 0;
    if (!known || ranks > MOST) {
        fprintf(stderr, "usage: kernels pencils|planes|buckets|rows|panels|gradient COLUMNS [ELEMENTS] [ITERATIONS], with at most %d ranks\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    free(outgoing);
    free(incoming);
    MPI_Comm_free(&row.comm);
    MPI_Comm_free(&column.comm);
    MPI_Finalize();
    return 0;
}
