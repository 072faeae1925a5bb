/* phases: messages round a ring in parts of a run that MPI_Pcontrol tells apart.
 *
 *     phases
 *
 * Rank r sends messages to rank r + 1: before any phase; in the phase "solve", which two threads
 * enter twice; in phase 7; while counting is paused; and after the phases.
 */
#include <mpi.h>
#include <pthread.h>

static int rank, ranks;

static void send(int bytes, int tag)
{
    static char out[1 << 12];
    char in[1 << 12];
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(out, bytes, MPI_BYTE, next, tag, in, bytes, MPI_BYTE, last, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ends each phase before the other thread may begin the next one. */
static void *second(void *barrier)
{
    send(1, 2);
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    send(20, 2);
    pthread_barrier_wait(barrier);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, number = 1, sum;
    pthread_t thread;
    pthread_barrier_t barrier;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 3);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, second, &barrier);
    pthread_barrier_wait(&barrier);

    MPI_Pcontrol(2, "solve");
    pthread_barrier_wait(&barrier);
    send(10, 1);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    MPI_Pcontrol(0);
    send(1000, 1);
    MPI_Pcontrol(7);
    send(1000, 1);
    MPI_Pcontrol(1);
    send(300, 1);

    MPI_Pcontrol(2, "solve");
    send(40, 1);
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(-1);
    send(2, 1);
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
