/* The cost of calls that take a communicator, in nanoseconds, in the fastest of many batches:
 * MPI_Comm_rank on the world, MPI_Comm_rank on another communicator, and a send to MPI_PROC_NULL on
 * the world. Rank 0 prints the three figures while the other ranks wait.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 100000, BATCHES = 200 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static double fastest(int what, MPI_Comm comm)
{
    double best = 1e9;
    int word = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        double begun = now();
        for (int i = 0; i < CALLS; i++) {
            if (what)
                MPI_Send(&word, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
            else
                MPI_Comm_rank(comm, &word);
        }
        double each = (now() - begun) / CALLS;
        best = each < best ? each : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    if (rank == 0)
        printf("%.2f %.2f %.2f\n", fastest(0, MPI_COMM_WORLD), fastest(0, twin), fastest(1, MPI_COMM_WORLD));
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return 0;
}
