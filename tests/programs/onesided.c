/* onesided: every kind of remote memory access, each with its own power of two of bytes.
 *
 *     onesided
 *
 * All of them go to the next rank, once on a window over the world and once over its ranks in
 * reverse, where the same argument means another rank. Bytes that are fetched travel from the
 * target to the origin. Every rank prints what it caused as lines "sent SOURCE DESTINATION BYTES
 * MESSAGES", in which SOURCE may be the other side.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Intel MPI declares these functions under the standard ABI too, but the library does not have them
 * there. */
#if defined(I_MPI_VERSION) && !defined(MPI_ABI)
#define HAS_NOTIFICATIONS 1
#else
#define HAS_NOTIFICATIONS 0
#endif

enum { SIZE = 1 << 16 };

static char *local, *result, *memory;

struct tally {
    long long bytes;
    int messages;
};

static struct tally put, fetched;

static void count(struct tally *tally, int bytes)
{
    tally->bytes += bytes;
    tally->messages++;
}

static void finish(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void plain_access(int to, MPI_Win window)
{
    MPI_Put(local, 1 << 0, MPI_BYTE, to, 0, 1 << 0, MPI_BYTE, window);
    count(&put, 1 << 0);
    MPI_Get(result, 1 << 1, MPI_BYTE, to, 0, 1 << 1, MPI_BYTE, window);
    count(&fetched, 1 << 1);
    MPI_Win_flush(to, window);
    MPI_Accumulate(local, 1 << 2, MPI_BYTE, to, 0, 1 << 2, MPI_BYTE, MPI_REPLACE, window);
    count(&put, 1 << 2);
    MPI_Win_flush(to, window);
    MPI_Get_accumulate(local, 1 << 3, MPI_BYTE, result, 1 << 3, MPI_BYTE, to, 0, 1 << 3, MPI_BYTE, MPI_REPLACE, window);
    count(&put, 1 << 3);
    count(&fetched, 1 << 3);
    MPI_Win_flush(to, window);
    /* Nothing travels to the target here. */
    MPI_Get_accumulate(NULL, 0, MPI_BYTE, result, 1 << 4, MPI_BYTE, to, 0, 1 << 4, MPI_BYTE, MPI_NO_OP, window);
    count(&fetched, 1 << 4);
    MPI_Win_flush(to, window);
    MPI_Put(local, 1 << 5, MPI_BYTE, MPI_PROC_NULL, 0, 1 << 5, MPI_BYTE, window);
}

static void access_with_request(int to, MPI_Win window)
{
    MPI_Request request;
    MPI_Rput(local, 1 << 6, MPI_BYTE, to, 0, 1 << 6, MPI_BYTE, window, &request);
    finish(request);
    count(&put, 1 << 6);
    MPI_Win_flush(to, window);
    MPI_Rget(result, 1 << 7, MPI_BYTE, to, 0, 1 << 7, MPI_BYTE, window, &request);
    finish(request);
    count(&fetched, 1 << 7);
    MPI_Raccumulate(local, 1 << 8, MPI_BYTE, to, 0, 1 << 8, MPI_BYTE, MPI_REPLACE, window, &request);
    finish(request);
    count(&put, 1 << 8);
    MPI_Win_flush(to, window);
    MPI_Rget_accumulate(local, 1 << 9, MPI_BYTE, result, 1 << 9, MPI_BYTE, to, 0, 1 << 9, MPI_BYTE, MPI_REPLACE, window,
                        &request);
    finish(request);
    count(&put, 1 << 9);
    count(&fetched, 1 << 9);
    MPI_Win_flush(to, window);
}

/* Of the operands of a comparison both travel. */
static void atomic_access(int to, MPI_Win window)
{
    long one = 1, zero = 0, old;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, to, 0, MPI_SUM, window);
    count(&put, sizeof one);
    count(&fetched, sizeof old);
    MPI_Win_flush(to, window);
    MPI_Fetch_and_op(NULL, &old, MPI_LONG, to, 0, MPI_NO_OP, window);
    count(&fetched, sizeof old);
    MPI_Win_flush(to, window);
    MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, to, 0, window);
    count(&put, sizeof one + sizeof zero);
    count(&fetched, sizeof old);
    MPI_Win_flush(to, window);
}

#if HAS_NOTIFICATIONS
/* Functions of Intel MPI that also increment a counter at the target. */
static void access_with_notification(int to, MPI_Win window)
{
    MPIX_Put_notify(local, 1 << 10, MPI_BYTE, to, 0, 1 << 10, MPI_BYTE, 0, window);
    count(&put, 1 << 10);
    MPI_Win_flush(to, window);
    MPIX_Get_notify_c(result, 1 << 11, MPI_BYTE, to, 0, 1 << 11, MPI_BYTE, 0, window);
    count(&fetched, 1 << 11);
    MPI_Win_flush(to, window);
}
#endif

static void access_next(MPI_Comm comm)
{
    int rank, ranks, world, target;
    MPI_Win window;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    int to = (rank + 1) % ranks;
    put = fetched = (struct tally){0};
    MPI_Win_create(memory, SIZE, 1, MPI_INFO_NULL, comm, &window);
#if HAS_NOTIFICATIONS
    MPIX_Win_create_notify(window, 1);
#endif
    MPI_Win_lock_all(0, window);
    plain_access(to, window);
    access_with_request(to, window);
    atomic_access(to, window);
#if HAS_NOTIFICATIONS
    access_with_notification(to, window);
#endif
    MPI_Win_unlock_all(window);
#if HAS_NOTIFICATIONS
    MPIX_Win_free_notify(window);
#endif
    MPI_Win_free(&window);
    int everyone[64];
    MPI_Allgather(&world, 1, MPI_INT, everyone, 1, MPI_INT, comm);
    target = everyone[to];
    printf("sent %d %d %lld %d\nsent %d %d %lld %d\n", world, target, put.bytes, put.messages, target, world,
           fetched.bytes, fetched.messages);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm reverse;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local = calloc(1, SIZE);
    result = calloc(1, SIZE);
    memory = calloc(1, SIZE);
    access_next(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
    access_next(reverse);
    MPI_Comm_free(&reverse);
    free(memory);
    free(result);
    free(local);
    MPI_Finalize();
    return 0;
}
