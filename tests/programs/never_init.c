/* never_init: linked with MPI, but leaves before MPI_Init. MPICH's mpirun may fail when a rank ends
   while mpirun still passes the end of its standard input on, so the program waits for a moment. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 0) {
        puts("leaving early");
        usleep(300000);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
