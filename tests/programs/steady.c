/* steady: a program for stub_mpi.h whose outcome a profiler must not change. It sends three
 * messages to itself, prints a line and ends with status 7. */
#include "stub_mpi.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int number = 0; number < 3; number++)
        MPI_Send("text", 5, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    puts("steady");
    return 7;
}
