/* fibers: calls of MPI from stacks that the program switches between.
 *
 *     fibers HOW
 *
 * left     the error handler of a send switches to another stack and never comes back
 * resumed  it switches to another stack, and back later
 * waits    a receive waits on one stack while its thread sends from another; needs yielding.c
 *
 * Then three stacks exchange messages in turn. Every rank prints what it sent as lines "sent SOURCE
 * DESTINATION BYTES MESSAGES".
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { FIBERS = 3, ROUNDS = 5, BYTES = 1000, STACK = 1 << 18 };

static ucontext_t first, fibers[FIBERS + 1];
static int rank, ranks, ended, waiting, received;
static char outgoing[BYTES], incoming[FIBERS + 1][BYTES];

static void make(int fiber, void (*body)(int))
{
    getcontext(&fibers[fiber]);
    fibers[fiber].uc_stack.ss_sp = malloc(STACK);
    fibers[fiber].uc_stack.ss_size = STACK;
    fibers[fiber].uc_link = &first;
    makecontext(&fibers[fiber], (void (*)(void))body, 1, fiber);
}

static int next(void) { return (rank + 1) % ranks; }
static int previous(void) { return (rank + ranks - 1) % ranks; }

static void send_next(int tag) { MPI_Send(outgoing, BYTES, MPI_BYTE, next(), tag, MPI_COMM_WORLD); }

static void exchange(int fiber)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request receive;
        MPI_Irecv(incoming[fiber], BYTES, MPI_BYTE, previous(), fiber, MPI_COMM_WORLD, &receive);
        send_next(fiber);
        swapcontext(&fibers[fiber], &first);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        swapcontext(&fibers[fiber], &first);
    }
    ended++;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    swapcontext(&fibers[FIBERS], &first);
}

static void fail(int fiber)
{
    (void)fiber;
    MPI_Send(outgoing, 10, MPI_BYTE, ranks + 5, 0, MPI_COMM_WORLD);
    ended++;
}

/* yielding.c calls this while a receive waits. */
void yield_hook(void)
{
    if (waiting) {
        waiting = 0;
        swapcontext(&fibers[FIBERS], &first);
        waiting = 1;
    }
}

static void wait_for_all(int fiber)
{
    waiting = 1;
    for (; received < ROUNDS; received++)
        MPI_Recv(incoming[fiber], BYTES, MPI_BYTE, previous(), fiber, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    waiting = 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int waits = strcmp(how, "waits") == 0, resumed = strcmp(how, "resumed") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int fiber = 0; fiber < FIBERS; fiber++)
        make(fiber, exchange);
    make(FIBERS, waits ? wait_for_all : fail);
    if (!waits) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(handle, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    }
    swapcontext(&first, &fibers[FIBERS]);
    for (int round = 0; waits && round < ROUNDS; round++) {
        send_next(FIBERS);
        if (received < ROUNDS)
            swapcontext(&first, &fibers[FIBERS]);
    }
    while (waits && received < ROUNDS)
        swapcontext(&first, &fibers[FIBERS]);
    send_next(FIBERS + 1);
    MPI_Recv(incoming[0], BYTES, MPI_BYTE, previous(), FIBERS + 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (resumed)
        swapcontext(&first, &fibers[FIBERS]);
    int all = FIBERS + resumed;
    while (ended < all)
        for (int fiber = 0; fiber < FIBERS; fiber++)
            if (ended < all)
                swapcontext(&first, &fibers[fiber]);
    int messages = FIBERS * ROUNDS + 1 + (waits ? ROUNDS : 0);
    printf("sent %d %d %d %d\n", rank, next(), messages * BYTES, messages);
    MPI_Finalize();
    return 0;
}
