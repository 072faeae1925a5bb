/* bursts: every rank exchanges messages with PARTNERS others on a ring, in every order that
 * programs are known to do it.
 *
 *     bursts [BYTES=1000] [PARTNERS=4] [ROUNDS=3] [ORDER]
 *
 * Rank r sends to r + 1, ..., r + PARTNERS and receives from as many ranks before it, but where an
 * order says otherwise. Each order is a phase, of its name; one of them alone if ORDER names it, as
 * not all of them get through where blocking sends wait for receivers.
 */
#include "arguments.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static int rank, ranks, bytes, partners;
static char *out, *in[MOST];
static MPI_Request sends[MOST], receives[MOST], both[2 * MOST];

static int to(int i) { return (rank + 1 + i) % ranks; }
static int from(int i) { return (rank - 1 - i + ranks) % ranks; }

static void post(int i) { MPI_Irecv(in[i], bytes, MPI_BYTE, from(i), 0, MPI_COMM_WORLD, &receives[i]); }
static void start(int i) { MPI_Isend(out, bytes, MPI_BYTE, to(i), 0, MPI_COMM_WORLD, &sends[i]); }
static void wait_for(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void post_all(void)
{
    for (int i = 0; i < partners; i++)
        post(i);
}

static void start_all(void)
{
    for (int i = 0; i < partners; i++)
        start(i);
}

static void wait_all(MPI_Request *requests) { MPI_Waitall(partners, requests, MPI_STATUSES_IGNORE); }

/* All at once: nonblocking, one wait for everything. */
static void all(void)
{
    post_all();
    start_all();
    memcpy(both, sends, partners * sizeof *sends);
    memcpy(both + partners, receives, partners * sizeof *receives);
    MPI_Waitall(2 * partners, both, MPI_STATUSES_IGNORE);
}

/* As LULESH: the sends are waited for first, then each receive. */
static void sends_first(void)
{
    post_all();
    start_all();
    wait_all(sends);
    for (int i = 0; i < partners; i++)
        wait_for(&receives[i]);
}

/* As HPCG and miniFE: receives posted, a blocking send to each, a wait for each. */
static void blocking_sends(void)
{
    post_all();
    for (int i = 0; i < partners; i++)
        MPI_Send(out, bytes, MPI_BYTE, to(i), 0, MPI_COMM_WORLD);
    for (int i = 0; i < partners; i++)
        wait_for(&receives[i]);
}

/* Partner by partner. */
static void sendrecv(void)
{
    for (int i = 0; i < partners; i++)
        MPI_Sendrecv(out, bytes, MPI_BYTE, to(i), 0, in[i], bytes, MPI_BYTE, from(i), 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* As LAMMPS and NPB's CG: for one partner after the other a receive posted, a blocking send, a
 * wait. */
static void one_by_one(void)
{
    for (int i = 0; i < partners; i++) {
        post(i);
        MPI_Send(out, bytes, MPI_BYTE, to(i), 0, MPI_COMM_WORLD);
        wait_for(&receives[i]);
    }
}

/* The same without blocking sends, each waited for after its receive. */
static void one_by_one_nonblocking(void)
{
    for (int i = 0; i < partners; i++) {
        post(i);
        start(i);
        wait_for(&receives[i]);
        wait_for(&sends[i]);
    }
}

/* Two partners at a time, as along each dimension of a grid. */
static void two_by_two(void)
{
    for (int i = 0; i + 1 < partners; i += 2) {
        MPI_Request four[4];
        post(i), post(i + 1), start(i), start(i + 1);
        four[0] = receives[i], four[1] = receives[i + 1], four[2] = sends[i], four[3] = sends[i + 1];
        MPI_Waitall(4, four, MPI_STATUSES_IGNORE);
    }
}

/* Nonblocking sends, then blocking receives, then the sends are waited for. */
static void blocking_receives(void)
{
    start_all();
    for (int i = 0; i < partners; i++)
        MPI_Recv(in[i], bytes, MPI_BYTE, from(i), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wait_all(sends);
}

/* Sends are waited for while no receive is posted: that is no completion of a receive. */
static void sends_waited_alone(void)
{
    for (int i = 0; i < partners; i++) {
        start(i);
        wait_for(&sends[i]);
    }
    for (int i = 0; i < partners; i++)
        MPI_Recv(in[i], bytes, MPI_BYTE, from(i), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waitany(void)
{
    int index;
    post_all();
    start_all();
    for (int i = 0; i < partners; i++)
        MPI_Waitany(partners, receives, &index, MPI_STATUS_IGNORE);
    wait_all(sends);
}

static void waitsome(void)
{
    int indices[MOST], done = 0;
    post_all();
    start_all();
    for (int left = partners; left > 0; left -= done)
        MPI_Waitsome(partners, receives, &done, indices, MPI_STATUSES_IGNORE);
    wait_all(sends);
}

/* A test after every send, of a receive that nobody sends for. */
static void testing(void)
{
    int done = 0;
    post_all();
    for (int i = 0; i < partners; i++) {
        MPI_Request none;
        MPI_Irecv(in[0], bytes, MPI_BYTE, from(0), 99, MPI_COMM_WORLD, &none);
        start(i);
        MPI_Test(&none, &done, MPI_STATUS_IGNORE);
        MPI_Cancel(&none);
        MPI_Request_free(&none);
    }
    for (done = 0; !done;)
        MPI_Testall(partners, receives, &done, MPI_STATUSES_IGNORE);
    wait_all(sends);
}

/* All at once, by persistent requests. */
static void persistent(void)
{
    static int made;
    for (int i = 0; i < partners && !made; i++) {
        MPI_Recv_init(in[i], bytes, MPI_BYTE, from(i), 0, MPI_COMM_WORLD, &both[i]);
        MPI_Send_init(out, bytes, MPI_BYTE, to(i), 0, MPI_COMM_WORLD, &both[partners + i]);
    }
    made = 1;
    MPI_Startall(2 * partners, both);
    MPI_Waitall(2 * partners, both, MPI_STATUSES_IGNORE);
}

/* Partner by partner, by persistent requests. */
static void persistent_one_by_one(void)
{
    static int made;
    for (int i = 0; i < partners && !made; i++) {
        MPI_Recv_init(in[i], bytes, MPI_BYTE, from(i), 0, MPI_COMM_WORLD, &receives[i]);
        MPI_Send_init(out, bytes, MPI_BYTE, to(i), 0, MPI_COMM_WORLD, &sends[i]);
    }
    made = 1;
    for (int i = 0; i < partners; i++) {
        MPI_Start(&receives[i]);
        MPI_Start(&sends[i]);
        wait_for(&receives[i]);
        wait_for(&sends[i]);
    }
}

/* Each answer to a message that has arrived is a message by itself. */
static void relay(void)
{
    if (rank == 0)
        start(0);
    MPI_Recv(in[0], bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        start(0);
    wait_for(&sends[0]);
}

/* As NPB's LU and SNAP: a front runs along the ranks and back, each passing it on to the next two
 * once it has it. */
static void wavefront(void)
{
    for (int ahead = 1; ahead >= -1; ahead -= 2) {
        for (int i = 1; i <= 2; i++)
            if (rank - i * ahead >= 0 && rank - i * ahead < ranks)
                MPI_Recv(in[0], bytes, MPI_BYTE, rank - i * ahead, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= 2; i++)
            if (rank + i * ahead >= 0 && rank + i * ahead < ranks)
                MPI_Send(out, bytes, MPI_BYTE, rank + i * ahead, 0, MPI_COMM_WORLD);
    }
}

static void neighbours(void)
{
    static MPI_Comm graph = MPI_COMM_NULL;
    static char *blocks;
    int sources[MOST], targets[MOST];
    for (int i = 0; i < partners; i++)
        sources[i] = from(i), targets[i] = to(i);
    if (graph == MPI_COMM_NULL) {
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, partners, sources, MPI_UNWEIGHTED, partners, targets,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
        blocks = calloc(partners, bytes);
    }
    MPI_Neighbor_allgather(out, bytes, MPI_BYTE, blocks, bytes, MPI_BYTE, graph);
}

/* Every thread exchanges with a partner of its own, one message at a time. */
static void *exchange(void *number)
{
    int i = *(int *)number;
    for (int round = 0; round < 3; round++)
        MPI_Sendrecv(out, bytes, MPI_BYTE, to(i), i, in[i], bytes, MPI_BYTE, from(i), i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return NULL;
}

static void threads(void)
{
    pthread_t others[MOST];
    int numbers[MOST];
    for (int i = 0; i < partners; i++) {
        numbers[i] = i;
        pthread_create(&others[i], NULL, exchange, &numbers[i]);
    }
    for (int i = 0; i < partners; i++)
        pthread_join(others[i], NULL);
}

static const struct {
    const char *name;
    void (*round)(void);
} modes[] = {
    {"all", all},
    {"sends-first", sends_first},
    {"blocking-sends", blocking_sends},
    {"sendrecv", sendrecv},
    {"one-by-one", one_by_one},
    {"one-by-one-nonblocking", one_by_one_nonblocking},
    {"two-by-two", two_by_two},
    {"blocking-receives", blocking_receives},
    {"sends-waited-alone", sends_waited_alone},
    {"waitany", waitany},
    {"waitsome", waitsome},
    {"persistent", persistent},
    {"persistent-one-by-one", persistent_one_by_one},
    {"relay", relay},
    {"wavefront", wavefront},
    {"neighbours", neighbours},
    {"threads", threads},
    {"testing", testing},
};

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 1000);
    partners = argument(argc, argv, 2, 4);
    int rounds = argument(argc, argv, 3, 3);
    if (partners > MOST || partners >= ranks) {
        fprintf(stderr, "bursts: too few ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    out = calloc(1, bytes);
    for (int i = 0; i < partners; i++)
        in[i] = malloc(bytes);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        if (argc > 4 && strcmp(argv[4], modes[m].name) != 0)
            continue;
        MPI_Pcontrol(2, modes[m].name);
        for (int i = 0; i < rounds; i++) {
            modes[m].round();
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Pcontrol(-1);
    MPI_Finalize();
    return 0;
}
