/* One of several programs of a launch: prints RANK WORD APPNUM. */
#include "world.h"

int main(int argc, char **argv)
{
    int rank, *number, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    printf("%d %s %d\n", rank, argv[1], found ? *number : -1);
    MPI_Finalize();
    return 0;
}
