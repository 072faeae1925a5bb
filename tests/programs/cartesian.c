/* cartesian: the halo exchange of a grid whose cells are not in the order of world ranks.
 *
 *     cartesian [BYTES=1000]
 *
 * Twelve ranks. Rank r asks for cell (5 r + 3) mod 12 of a 3 x 4 grid, which is open along the
 * first dimension and periodic along the second; MPI may reorder the ranks. Neighbours on the grid
 * exchange BYTES. Two distributed graphs declare the same neighbours: one on the plain
 * communicator, one on the communicator of the grid. Open MPI 5.0 reports no topology for the
 * second. Rank 0 prints `cell RANK CELL` for every rank, cells row-major.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 12, DIMENSIONS = 2, SIDES = 4 };

int main(int argc, char **argv)
{
    int rank, ranks, cell, cells[RANKS], sides[SIDES], neighbours[SIDES], count = 0;
    int extents[DIMENSIONS] = { 3, 4 }, periods[DIMENSIONS] = { 0, 1 };
    MPI_Comm shuffled, grid, plain, graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (5 * rank + 3) % RANKS, &shuffled);
    MPI_Cart_create(shuffled, DIMENSIONS, extents, periods, 1, &grid);
    MPI_Comm_rank(grid, &cell);
    for (int d = 0; d < DIMENSIONS; d++)
        MPI_Cart_shift(grid, d, 1, &sides[2 * d], &sides[2 * d + 1]);
    for (int side = 0; side < SIDES; side++)
        if (sides[side] != MPI_PROC_NULL)
            neighbours[count++] = sides[side];
    MPI_Comm_split(grid, 0, cell, &plain);
    for (int i = 0; i < 2; i++) {
        MPI_Dist_graph_create_adjacent(i == 0 ? plain : grid, count, neighbours, MPI_UNWEIGHTED, count, neighbours,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
        MPI_Comm_free(&graph);
    }

    int bytes = argument(argc, argv, 1, 1000);
    char *outgoing = calloc(bytes, 1), *incoming = calloc(SIDES, bytes);
    MPI_Request requests[2 * SIDES];
    for (int i = 0; i < count; i++)
        MPI_Irecv(incoming + (size_t)i * bytes, bytes, MPI_BYTE, neighbours[i], 0, grid, &requests[i]);
    for (int i = 0; i < count; i++)
        MPI_Isend(outgoing, bytes, MPI_BYTE, neighbours[i], 0, grid, &requests[count + i]);
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);

    MPI_Gather(&cell, 1, MPI_INT, cells, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < RANKS; r++)
            printf("cell %d %d\n", r, cells[r]);
    free(outgoing);
    free(incoming);
    MPI_Comm_free(&plain);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&shuffled);
    MPI_Finalize();
    return 0;
}
