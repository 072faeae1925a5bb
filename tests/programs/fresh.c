/* fresh: what the first MPI_Send on a communicator costs in front of an MPI that does nothing
 * (`stub_mpi`).
 *
 *     fresh [RANKS=64] [COMMUNICATORS=1000]
 *
 * Repeats: makes a communicator of all ranks, sends to a rank near its end, which is another rank
 * each time, and frees the communicator. Prints the median of the nanoseconds of processor time
 * that a send took, and how many ranks of communicators were translated to ranks of the world.
 */
#include "arguments.h"
#include "stub_mpi.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv)
{
    char buffer[8] = "";
    MPI_Comm comm;
    int ranks = argument(argc, argv, 1, 64), number = argument(argc, argv, 2, 1000);
    double *times = calloc(number, sizeof *times);
    MPI_Init(&argc, &argv);
    for (int i = 0; i < number; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
        double start = now();
        MPI_Send(buffer, 8, MPI_BYTE, ranks - 1 - i % ranks, 0, comm);
        times[i] = now() - start;
        MPI_Comm_free(&comm);
    }
    qsort(times, number, sizeof *times, by_value);
    printf("%.0f %ld\n", times[number / 2], stub_translated_ranks());
    MPI_Finalize();
    return 0;
}
