/* communicators: what calls on many communicators cost in front of an MPI that does nothing
 * (`stub_mpi`).
 *
 *     communicators send|bcast|dup [COMMUNICATORS=64] [CALLS=100000] [BATCHES=60]
 *
 * `send` and `bcast` call on COMMUNICATORS duplicates of the world in random order, and `send`
 * sends to 26 ranks in turn. `dup` makes a duplicate, sends on it and frees it, while the others
 * exist. Prints the nanoseconds of processor time that a call of the fastest batch took, which is
 * what remains when nothing disturbs.
 */
#include "arguments.h"
#include "stub_mpi.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PEERS = 26, MOST = 200, ORDER = 1 << 14 };

static MPI_Comm comms[MOST];
/* The communicators in random order. So many that a processor cannot learn the order by heart. */
static MPI_Comm order[ORDER];
static char buffer[8];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static void send(int call, int peer)
{
    MPI_Send(buffer, 1, MPI_BYTE, peer, 0, order[call % ORDER]);
}

static void bcast(int call, int peer)
{
    (void)peer;
    MPI_Bcast(buffer, 1, MPI_BYTE, 0, order[call % ORDER]);
}

static void dup(int call, int peer)
{
    (void)call;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Send(buffer, 1, MPI_BYTE, peer, 0, comm);
    MPI_Comm_free(&comm);
}

static const struct {
    const char *name;
    void (*call)(int, int);
} kinds[] = {{"send", send}, {"bcast", bcast}, {"dup", dup}};

static double batch(void (*make)(int, int), int calls)
{
    int peer = 0;
    double start = now();
    for (int call = 0; call < calls; call++) {
        make(call, peer);
        peer = peer + 1 < PEERS ? peer + 1 : 0;
    }
    return (now() - start) / calls;
}

int main(int argc, char **argv)
{
    int number = argument(argc, argv, 2, 64), calls = argument(argc, argv, 3, 100000);
    int batches = argument(argc, argv, 4, 60);
    unsigned random = 1;
    void (*make)(int, int) = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
            make = kinds[i].call;
    if (!make || number < 1 || number > MOST) {
        fprintf(stderr, "communicators: send, bcast or dup, with 1 to %d communicators\n", MOST);
        return 2;
    }
    MPI_Init(&argc, &argv);
    for (int i = 0; i < number; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < ORDER; i++) {
        random = random * 1664525 + 1013904223;
        order[i] = comms[(random >> 8) % number];
    }
    double best = 0;
    for (int i = 0; i < batches; i++) {
        double time = batch(make, calls);
        if (i == 0 || time < best)
            best = time;
    }
    printf("%.2f\n", best);
    MPI_Finalize();
    return 0;
}
