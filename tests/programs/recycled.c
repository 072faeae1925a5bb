/* recycled: handles that one thread frees, and that come back as another object's while other
 * threads remember the old one.
 *
 *     recycled [ROUNDS=16] [THREADS=3]
 *
 * In every round the main thread makes communicators of changing rank order and a datatype of
 * changing size, all threads send on them, and the main thread frees them. It frees the original of
 * a duplicate before the duplicate is used, and in every eighth round it makes and frees seventy
 * more communicators while the threads wait, more than the library's log of freed handles holds.
 * Every rank prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES". Fails if no
 * handle ever came back, as the run would show nothing then.
 */
#include "arguments.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { MOST = 8, COMMUNICATORS = 3, MANY = 70, LARGEST = 1 << 12 };

static pthread_barrier_t barrier;
static int world, ranks, rounds, threads;
/* What the threads use in this round: communicators in which the next rank is `steps` further on in
 * the world, and a datatype. */
static MPI_Comm comms[COMMUNICATORS];
static int steps[COMMUNICATORS];
static MPI_Datatype type;
static int type_bytes;

static void *work(void *number)
{
    static char outgoing[LARGEST], incoming[MOST][LARGEST];
    int thread = *(int *)number;
    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&barrier);
        /* Each thread leaves out the communicators of some rounds, so that it sees some handles
         * later than the others do. */
        for (int i = (thread + round) % 2; i < COMMUNICATORS; i++) {
            int rank;
            MPI_Comm_rank(comms[i], &rank);
            MPI_Sendrecv(outgoing, 1, type, (rank + 1) % ranks, thread, incoming[thread], 1, type,
                         (rank + ranks - 1) % ranks, thread, comms[i], MPI_STATUS_IGNORE);
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* A communicator in which the next rank is the next one in the world, or the one before. */
static MPI_Comm ordered(int forwards)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, forwards ? world : -world, &comm);
    return comm;
}

static void make(int round)
{
    for (int i = 0; i < COMMUNICATORS; i++) {
        int forwards = (round + i) / 2 % 2;
        comms[i] = ordered(forwards);
        steps[i] = forwards ? 1 : ranks - 1;
    }
    /* The last one is the duplicate of a communicator that was used and is gone. */
    MPI_Comm original = comms[COMMUNICATORS - 1];
    int out = 0, in, rank;
    MPI_Comm_rank(original, &rank);
    MPI_Sendrecv(&out, 4, MPI_BYTE, (rank + 1) % ranks, MOST, &in, 4, MPI_BYTE, (rank + ranks - 1) % ranks, MOST,
                 original, MPI_STATUS_IGNORE);
    printf("sent %d %d 4 1\n", world, (world + steps[COMMUNICATORS - 1]) % ranks);
    MPI_Comm_dup(original, &comms[COMMUNICATORS - 1]);
    MPI_Comm_free(&original);
    type_bytes = 10 + 7 * round;
    MPI_Type_contiguous(type_bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
}

/* Counts the handles of this round that are those of the round before, which were freed. */
static int came_back(void)
{
    static MPI_Comm before[COMMUNICATORS];
    int count = 0;
    for (int i = 0; i < COMMUNICATORS; i++)
        for (int j = 0; j < COMMUNICATORS; j++)
            count += comms[i] == before[j];
    for (int i = 0; i < COMMUNICATORS; i++)
        before[i] = comms[i];
    return count;
}

static void release(int round)
{
    for (int thread = 0; thread < threads; thread++)
        for (int i = (thread + round) % 2; i < COMMUNICATORS; i++)
            printf("sent %d %d %d 1\n", world, (world + steps[i]) % ranks, type_bytes);
    for (int i = 0; i < COMMUNICATORS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Type_free(&type);
    for (int i = 0; i < MANY && round % 8 == 0; i++) {
        MPI_Comm comm = ordered(i % 2);
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    int provided, numbers[MOST], reused = 0;
    pthread_t others[MOST];
    rounds = argument(argc, argv, 1, 16);
    threads = argument(argc, argv, 2, 3);
    if (threads > MOST)
        threads = MOST;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "recycled: this MPI does not provide MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    pthread_barrier_init(&barrier, NULL, threads + 1);
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        pthread_create(&others[i], NULL, work, &numbers[i]);
    }
    for (int round = 0; round < rounds; round++) {
        make(round);
        reused += came_back();
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        release(round);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(others[i], NULL);
    if (reused == 0) {
        fprintf(stderr, "recycled: no handle came back\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
