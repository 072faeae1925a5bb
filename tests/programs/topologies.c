/* topologies: communicators of every virtual topology, some of them made again and again. Six
 * ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, extents[] = {3, 2}, periods[] = {0, 1}, rows[] = {1, 0};
    int small[] = {2, 2}, small_periods[] = {1, 0};
    MPI_Comm grid, part, column, ring, onward;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
        MPI_Cart_sub(grid, rows, &column);
        MPI_Comm_free(&column);
        MPI_Comm_free(&grid);
    }
    /* Two ranks are left over. */
    MPI_Cart_create(MPI_COMM_WORLD, 2, small, small_periods, 0, &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    int ends[6], edges[12];
    for (int i = 0; i < 6; i++) {
        ends[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % 6;
        edges[2 * i + 1] = (i + 5) % 6;
    }
    MPI_Graph_create(MPI_COMM_WORLD, 6, ends, edges, 0, &ring);
    MPI_Comm_free(&ring);
    int next = (rank + 1) % 6, last = (rank + 5) % 6, one = 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &onward);
    MPI_Comm_free(&onward);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &onward);
    MPI_Comm_free(&onward);
    MPI_Finalize();
    return 0;
}
