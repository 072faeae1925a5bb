/* no_mpi: a program that knows nothing of MPI. */
#include <stdio.h>

int main(void)
{
    puts("no MPI here");
    return 0;
}
