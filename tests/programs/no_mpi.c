/* no_mpi: a program that knows nothing of MPI. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    puts("no MPI here");
    fflush(stdout);
    usleep(100000); /* Hydra can miss the output of a process that ends at once */
    return 0;
}
