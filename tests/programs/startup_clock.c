/* startup_clock: a PMPI tool that prints, from rank 0, the milliseconds between the end of MPI's
 * own MPI_Init and the beginning of its MPI_Finalize, on all ranks. That is the time of the program
 * and of the tools in front of this tool; the time of MPI itself, which differs from run to run, is
 * left out. A second line, "cpu", has the mean milliseconds of processor time of a rank: elapsed
 * time includes what ranks that share cores wait for each other.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double begun, spent;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e3 * time.tv_sec + time.tv_nsec / 1e6;
}

/* A barrier that leaves the cores to the ranks that are late. */
static void together(void)
{
    const struct timespec nap = {0, 100000};
    MPI_Request request;
    int done = 0;
    PMPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nanosleep(&nap, NULL);
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    together();
    begun = now(CLOCK_MONOTONIC);
    spent = now(CLOCK_PROCESS_CPUTIME_ID);
    return code;
}

int MPI_Finalize(void)
{
    int rank, ranks;
    double own = now(CLOCK_PROCESS_CPUTIME_ID) - spent, all = 0, elapsed;
    together();
    elapsed = now(CLOCK_MONOTONIC) - begun;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.2f\ncpu %.3f\n", elapsed, all / ranks);
    return PMPI_Finalize();
}
