/* everything: every way to send a message, each with its own power of two of bytes.
 *
 *     everything
 *
 * All of them go to the next rank, a few to the rank itself and some to nobody. Since every kind
 * owns one bit, a wrong byte count names the kinds that were missed or counted twice. Every rank
 * prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 22 };

static int rank, ranks, next, previous;
static char *outgoing, *incoming;
static long long to_next, to_self;
static int messages_to_next, messages_to_self;

static void tally_next(long long bytes)
{
    to_next += bytes;
    messages_to_next++;
}

static void tally_self(long long bytes)
{
    to_self += bytes;
    messages_to_self++;
}

static MPI_Request receive(int bytes)
{
    MPI_Request request;
    MPI_Irecv(incoming, bytes, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &request);
    return request;
}

static void finish(MPI_Request request)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Receives are posted before the barrier, as ready mode demands of all ranks. */
static MPI_Request receive_ready(int bytes)
{
    MPI_Request request = receive(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return request;
}

static void blocking_sends(void)
{
    MPI_Request incoming_one = receive(1 << 0);
    MPI_Send(outgoing, 1 << 0, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    tally_next(1 << 0);

    incoming_one = receive(1 << 1);
    MPI_Bsend(outgoing, 1 << 1, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    tally_next(1 << 1);

    incoming_one = receive(1 << 2);
    MPI_Ssend(outgoing, 1 << 2, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    tally_next(1 << 2);

    incoming_one = receive_ready(1 << 3);
    MPI_Rsend(outgoing, 1 << 3, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    tally_next(1 << 3);
}

static void nonblocking_sends(void)
{
    MPI_Request request, incoming_one = receive(1 << 4);
    MPI_Isend(outgoing, 1 << 4, MPI_BYTE, next, 0, MPI_COMM_WORLD, &request);
    finish(request);
    finish(incoming_one);
    tally_next(1 << 4);

    incoming_one = receive(1 << 5);
    MPI_Ibsend(outgoing, 1 << 5, MPI_BYTE, next, 0, MPI_COMM_WORLD, &request);
    finish(request);
    finish(incoming_one);
    tally_next(1 << 5);

    incoming_one = receive(1 << 6);
    MPI_Issend(outgoing, 1 << 6, MPI_BYTE, next, 0, MPI_COMM_WORLD, &request);
    finish(request);
    finish(incoming_one);
    tally_next(1 << 6);

    incoming_one = receive_ready(1 << 7);
    MPI_Irsend(outgoing, 1 << 7, MPI_BYTE, next, 0, MPI_COMM_WORLD, &request);
    finish(request);
    finish(incoming_one);
    tally_next(1 << 7);
}

/* Started twice each, so one counted at creation and not at start shows as half. */
static void persistent_sends(void)
{
    MPI_Request requests[4];
    MPI_Send_init(outgoing, 1 << 8, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Bsend_init(outgoing, 1 << 10, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Ssend_init(outgoing, 1 << 12, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Rsend_init(outgoing, 1 << 14, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[3]);
    for (int kind = 0; kind < 4; kind++)
        for (int round = 0; round < 2; round++) {
            MPI_Request incoming_one = receive_ready(1 << (8 + 2 * kind));
            MPI_Start(&requests[kind]);
            MPI_Wait(&requests[kind], MPI_STATUS_IGNORE);
            finish(incoming_one);
            tally_next(1 << (8 + 2 * kind));
        }
    for (int kind = 0; kind < 4; kind++)
        MPI_Request_free(&requests[kind]);
}

/* A persistent receive and send together; the send that is never started must not count. */
static void start_all(void)
{
    MPI_Request pair[2], idle;
    MPI_Recv_init(incoming, 1 << 16, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &pair[0]);
    MPI_Send_init(outgoing, 1 << 16, MPI_BYTE, next, 0, MPI_COMM_WORLD, &pair[1]);
    MPI_Send_init(outgoing, LARGEST, MPI_BYTE, next, 0, MPI_COMM_WORLD, &idle);
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    tally_next(1 << 16);
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
    MPI_Request_free(&idle);
}

static void send_and_receive(void)
{
    MPI_Sendrecv(outgoing, 1 << 17, MPI_BYTE, next, 0, incoming, 1 << 17, MPI_BYTE, previous, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tally_next(1 << 17);
    MPI_Sendrecv_replace(outgoing, 1 << 18, MPI_BYTE, next, 0, previous, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    tally_next(1 << 18);
}

/* What arrives is too long for the room, which is an error of the receive. */
static void receive_too_little(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        MPI_Sendrecv(outgoing, 7, MPI_BYTE, next, 0, incoming, 3, MPI_BYTE, previous, 0, comm,
                     MPI_STATUS_IGNORE);
        tally_next(7);
    }
    MPI_Comm_free(&comm);
}

/* Every second double: the payload counts, not the extent. */
static void derived_datatype(void)
{
    MPI_Datatype alternate;
    MPI_Type_vector(1 << 16, 1, 2, MPI_DOUBLE, &alternate);
    MPI_Type_commit(&alternate);
    MPI_Request incoming_one = receive(1 << 19);
    MPI_Send(outgoing, 1, alternate, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    MPI_Type_free(&alternate);
    tally_next(1 << 19);
}

static void to_nobody_and_empty(void)
{
    MPI_Send(outgoing, 100, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(outgoing, 100, MPI_BYTE, MPI_PROC_NULL, 0, incoming, 100, MPI_BYTE, MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request incoming_one = receive(0);
    MPI_Send(NULL, 0, MPI_INT, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    tally_next(0);
}

static void to_myself(void)
{
    MPI_Sendrecv(outgoing, 1 << 5, MPI_BYTE, rank, 0, incoming, 1 << 5, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    tally_self(1 << 5);
    MPI_Sendrecv(outgoing, 1 << 6, MPI_BYTE, 0, 0, incoming, 1 << 6, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    tally_self(1 << 6);
}

/* Library traffic: none of it is point-to-point of the program. */
static void collectives(void)
{
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(outgoing, 4096, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Alltoall(outgoing, 16, MPI_BYTE, incoming, 16, MPI_BYTE, MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4
static void large_counts(void)
{
    MPI_Request request, incoming_one = receive(1 << 20);
    MPI_Send_c(outgoing, (MPI_Count)1 << 20, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    finish(incoming_one);
    tally_next(1 << 20);
    incoming_one = receive(1 << 21);
    MPI_Isend_c(outgoing, (MPI_Count)1 << 21, MPI_BYTE, next, 0, MPI_COMM_WORLD, &request);
    finish(request);
    finish(incoming_one);
    tally_next(1 << 21);
}
#endif

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    outgoing = calloc(1, LARGEST);
    incoming = calloc(1, LARGEST);
    void *buffer = malloc(LARGEST);
    int size;
    MPI_Buffer_attach(buffer, LARGEST);

    blocking_sends();
    nonblocking_sends();
    persistent_sends();
    start_all();
    send_and_receive();
    receive_too_little();
    derived_datatype();
    to_nobody_and_empty();
    to_myself();
    collectives();
#if MPI_VERSION >= 4
    large_counts();
#endif

    MPI_Buffer_detach(&buffer, &size);
    printf("sent %d %d %lld %d\nsent %d %d %lld %d\n", rank, next, to_next, messages_to_next, rank, rank,
           to_self, messages_to_self);
    free(buffer);
    free(outgoing);
    free(incoming);
    MPI_Finalize();
    return 0;
}
