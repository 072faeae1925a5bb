/* never_init: linked with MPI, but leaves before MPI_Init. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc > 0) {
        puts("leaving early");
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
