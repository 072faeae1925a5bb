/* stencil2d: the halo exchange of a five-point stencil, without the arithmetic.
 *
 *     stencil2d PX PY BYTES [TIMED=10] [PERIODIC=1] [WARM_UP=2]
 *
 * Rank r owns cell (r / PY, r % PY) of a PX x PY grid and exchanges BYTES with each of its up to
 * four neighbours, WARM_UP + TIMED times. Rank 0 prints one line; the time is that of the slowest
 * rank.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

enum { NORTH, SOUTH, WEST, EAST, SIDES };

static const int row_step[SIDES] = { -1, 1, 0, 0 };
static const int column_step[SIDES] = { 0, 0, -1, 1 };
static const int opposite[SIDES] = { SOUTH, NORTH, EAST, WEST };

struct grid {
    int rows, columns, periodic;
};

static int neighbour(struct grid g, int rank, int side)
{
    int row = rank / g.columns + row_step[side];
    int column = rank % g.columns + column_step[side];
    if (g.periodic) {
        row = (row + g.rows) % g.rows;
        column = (column + g.columns) % g.columns;
    }
    if (row < 0 || row >= g.rows || column < 0 || column >= g.columns)
        return MPI_PROC_NULL;
    int other = row * g.columns + column;
    return other == rank ? MPI_PROC_NULL : other;
}

static void exchange(const int *neighbours, char *outgoing, char *incoming, int bytes)
{
    MPI_Request requests[2 * SIDES];
    for (int side = 0; side < SIDES; side++)
        MPI_Irecv(incoming + (size_t)side * bytes, bytes, MPI_BYTE, neighbours[side], opposite[side],
                  MPI_COMM_WORLD, &requests[side]);
    for (int side = 0; side < SIDES; side++)
        MPI_Isend(outgoing + (size_t)side * bytes, bytes, MPI_BYTE, neighbours[side], side,
                  MPI_COMM_WORLD, &requests[SIDES + side]);
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks, neighbours[SIDES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct grid grid = { argument(argc, argv, 1, 1), argument(argc, argv, 2, ranks),
                         argument(argc, argv, 5, 1) };
    int bytes = argument(argc, argv, 3, 1024);
    int timed = argument(argc, argv, 4, 10);
    int warm_up = argument(argc, argv, 6, 2);
    if (grid.rows * grid.columns != ranks) {
        if (rank == 0)
            fprintf(stderr, "stencil2d: a %d x %d grid needs %d ranks, not %d\n", grid.rows,
                    grid.columns, grid.rows * grid.columns, ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int side = 0; side < SIDES; side++)
        neighbours[side] = neighbour(grid, rank, side);

    char *outgoing = calloc(SIDES, bytes), *incoming = calloc(SIDES, bytes);
    for (int i = 0; i < warm_up; i++)
        exchange(neighbours, outgoing, incoming, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < timed; i++)
        exchange(neighbours, outgoing, incoming, bytes);
    double mine = (MPI_Wtime() - start) / timed, slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    if (rank == 0)
        printf("stencil2d ranks=%d grid=%dx%d bytes=%d exchanges=%d seconds_per_exchange=%.6f\n", ranks,
               grid.rows, grid.columns, bytes, warm_up + timed, slowest);
    free(outgoing);
    free(incoming);
    MPI_Finalize();
    return 0;
}
