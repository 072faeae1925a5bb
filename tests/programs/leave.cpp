/* leave: an error handler that leaves MPI_Send by an exception, by longjmp, or by the end of its
 * thread.
 *
 *     leave HOW       (throw, jump or exit)
 *
 * Rank 0 calls MPI_Send with a rank that does not exist, and goes on; then every rank sends to the
 * next one, from deeper and deeper on the stack. Every rank prints what it sent as lines "sent
 * SOURCE DESTINATION BYTES MESSAGES".
 */
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static const char *how;
static int rank, ranks;
static MPI_Comm comm;

static void leave(MPI_Comm *, int *, ...)
{
    if (strcmp(how, "throw") == 0)
        throw 1;
    if (strcmp(how, "jump") == 0)
        longjmp(back, 1);
    pthread_exit(nullptr);
}

static void fail()
{
    char byte = 0;
    MPI_Send(&byte, 1, MPI_BYTE, ranks + 7, 0, comm);
    fprintf(stderr, "leave: MPI_Send has returned\n");
    MPI_Abort(MPI_COMM_WORLD, 5);
}

static void *fail_in_thread(void *)
{
    fail();
    return nullptr;
}

static void fail_and_go_on()
{
    if (strcmp(how, "throw") == 0) {
        try {
            fail();
        } catch (int) {
        }
    } else if (strcmp(how, "jump") == 0) {
        if (setjmp(back) == 0)
            fail();
    } else {
        pthread_t thread;
        pthread_create(&thread, nullptr, fail_in_thread, nullptr);
        pthread_join(thread, nullptr);
    }
}

static void exchange(int depth)
{
    volatile char *room = static_cast<char *>(alloca(100 * depth + 1));
    memset(const_cast<char *>(room), depth, 100 * depth + 1);
    char outgoing[100] = "", incoming[100];
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Request receive;
    MPI_Irecv(incoming, 100, MPI_BYTE, previous, 0, comm, &receive);
    MPI_Send(outgoing, 100, MPI_BYTE, next, 0, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    printf("sent %d %d 100 1\n", rank, next);
}

int main(int argc, char **argv)
{
    int provided;
    how = argc > 1 ? argv[1] : "";
    bool threads = strcmp(how, "exit") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    exchange(0);
    for (int depth = 0; depth < 4; depth++) {
        if (rank == 0)
            fail_and_go_on();
        exchange(depth);
    }
    if (rank == 0)
        fail_and_go_on();
    MPI_Finalize();
    return 0;
}
