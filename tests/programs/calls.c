/* calls: what one MPI_Send costs in front of an MPI that does nothing (`stub_mpi`).
 *
 *     calls [PEERS=1] [TYPES=1] [CALLS=1000000] [BATCHES=60] [THREADS=1] [RECEIVES=0]
 *
 * Sends go to PEERS ranks in turn, with TYPES (1 or 2) datatypes in turn. Every send is followed by
 * an MPI_Recv if RECEIVES is 1, and by an MPI_Irecv and its MPI_Wait if it is 2; their time is
 * counted with that of the send. Prints the nanoseconds of processor time that a call took in the
 * fastest batch, the batch that other work disturbed least. With several threads, the figure of the
 * slowest thread is printed.
 */
#include "arguments.h"
#include "stub_mpi.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { MOST_THREADS = 64 };

static int peers, types, calls, batches, receives;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static double batch(void)
{
    static const MPI_Datatype kinds[] = {MPI_BYTE, MPI_DOUBLE};
    char buffer[8] = {0};
    MPI_Request request;
    int peer = 0, kind = 0;
    double start = now();
    for (int call = 0; call < calls; call++) {
        MPI_Send(buffer, 1, kinds[kind], peer, 0, MPI_COMM_WORLD);
        if (receives == 1) {
            MPI_Recv(buffer, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD, NULL);
        } else if (receives == 2) {
            MPI_Irecv(buffer, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, NULL);
        }
        peer = peer + 1 < peers ? peer + 1 : 0;
        kind = kind + 1 < types ? kind + 1 : 0;
    }
    return (now() - start) / calls;
}

static void *measure(void *best)
{
    for (int i = 0; i < batches; i++) {
        double time = batch();
        if (i == 0 || time < *(double *)best)
            *(double *)best = time;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t others[MOST_THREADS];
    double best[MOST_THREADS] = {0}, slowest = 0;
    peers = argument(argc, argv, 1, 1);
    types = argument(argc, argv, 2, 1);
    calls = argument(argc, argv, 3, 1000000);
    batches = argument(argc, argv, 4, 60);
    int threads = argument(argc, argv, 5, 1);
    receives = argument(argc, argv, 6, 0);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    MPI_Init(&argc, &argv);
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, measure, &best[i]);
    measure(&best[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    for (int i = 0; i < threads; i++)
        if (best[i] > slowest)
            slowest = best[i];
    printf("%.2f\n", slowest);
    MPI_Finalize();
    return 0;
}
