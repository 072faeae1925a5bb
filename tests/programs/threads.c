/* threads: several threads of every rank send at once, each to receivers of its own.
 *
 *     threads [THREADS=4] [MESSAGES=300] [BYTES=64]
 *
 * Thread T sends MESSAGES messages of BYTES + T to the rank T + 1 further on, while another thread
 * of that rank receives them. Every rank prints what it sent as lines "sent SOURCE DESTINATION
 * BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { MOST = 16 };

static int rank, ranks, messages, bytes;

static void *exchange(void *number)
{
    int thread = *(int *)number, size = bytes + thread;
    int to = (rank + thread + 1) % ranks, from = (rank + ranks * MOST - thread - 1) % ranks;
    char *outgoing = calloc(1, size), *incoming = calloc(1, size);
    for (int i = 0; i < messages; i++)
        MPI_Sendrecv(outgoing, size, MPI_BYTE, to, thread, incoming, size, MPI_BYTE, from, thread, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    free(outgoing);
    free(incoming);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, threads = argument(argc, argv, 1, 4), numbers[MOST];
    pthread_t others[MOST];
    messages = argument(argc, argv, 2, 300);
    bytes = argument(argc, argv, 3, 64);
    if (threads > MOST)
        threads = MOST;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "threads: this MPI does not provide MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        pthread_create(&others[i], NULL, exchange, &numbers[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(others[i], NULL);
        printf("sent %d %d %d %d\n", rank, (rank + i + 1) % ranks, messages * (bytes + i), messages);
    }
    MPI_Finalize();
    return 0;
}
