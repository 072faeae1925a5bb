/* startup: a program that is in MPI for no longer than it must; what it costs is told by startup_clock. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
