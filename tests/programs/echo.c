/* echo: what a launch must pass through. Rank 0 copies standard input to standard output, or the
 * job exits with the status given.
 *
 *     echo [STATUS]
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && argc == 1)
        while ((c = getchar()) != EOF)
            putchar(c);
    MPI_Finalize();
    return argument(argc, argv, 1, 0);
}
