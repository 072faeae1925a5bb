/* startup: a program that calls MPI_Init and MPI_Finalize and nothing between. The tool
 * startup_clock measures it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
