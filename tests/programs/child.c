/* child: every rank starts another program after MPI_Init and after MPI_Finalize.
 *
 *     child PROGRAM
 *
 * The exit status is that of the program, or 1 if its two runs end differently.
 */
#include <mpi.h>

#include <stdlib.h>
#include <sys/wait.h>

static int status_of(const char *program)
{
    int status = system(program);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int first = status_of(argv[1]);
    MPI_Finalize();
    return first == status_of(argv[1]) ? first : 1;
}
