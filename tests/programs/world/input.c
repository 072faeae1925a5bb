/* Rank 0 reads a line from standard input and broadcasts it. Every rank prints RANK LINE VARIABLE,
 * where VARIABLE is what the launcher's environment variable says of the rank. */
#include "world.h"

int main(int argc, char **argv)
{
    char line[64] = "";
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && fgets(line, sizeof line, stdin))
        line[strcspn(line, "\n")] = 0;
    MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    printf("%d %s %d\n", rank, line, launched_as());
    MPI_Finalize();
    return 0;
}
