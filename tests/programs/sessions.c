/* sessions: messages round a ring without MPI_Init, and partitioned sends, in two sessions. The
 * second session opens before the first closes, since MPICH 4.0 cannot open a session once all
 * sessions are closed.
 *
 *     sessions [after]
 *
 * Rank r sends 5 messages of 100 bytes to rank r + 1 in each session, and 3 times 4 partitions of 8
 * integers. With "after" there are no partitions, both rings are in one session, which begins
 * before MPI_Init and goes on after MPI_Finalize, and 5 messages of 100 bytes are sent in the
 * world.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PARTITIONS = 4, ITEMS = 8 };

static void partitioned(MPI_Comm comm, int next, int last)
{
    int out[PARTITIONS * ITEMS] = {0}, in[PARTITIONS * ITEMS];
    MPI_Request send, receive;
    MPI_Psend_init(out, PARTITIONS, ITEMS, MPI_INT, next, 9, comm, MPI_INFO_NULL, &send);
    MPI_Precv_init(in, PARTITIONS, ITEMS, MPI_INT, last, 9, comm, MPI_INFO_NULL, &receive);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&receive);
        MPI_Start(&send);
        for (int i = 0; i < PARTITIONS; i++)
            MPI_Pready(i, send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

static MPI_Session opened(void)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    return session;
}

static void exchange(MPI_Comm comm, int next, int last)
{
    char out[100] = {0}, in[100];
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(out, 100, MPI_BYTE, next, 1, in, 100, MPI_BYTE, last, 1, comm, MPI_STATUS_IGNORE);
}

static void ring(MPI_Session session, const char *name, int with_partitions)
{
    MPI_Group group;
    MPI_Comm comm;
    int rank, ranks;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    exchange(comm, next, last);
    if (with_partitions)
        partitioned(comm, next, last);
    MPI_Comm_free(&comm);
}

static void around_the_world(MPI_Session session)
{
    int rank, ranks;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    exchange(MPI_COMM_WORLD, (rank + 1) % ranks, (rank + ranks - 1) % ranks);
    MPI_Finalize();
    ring(session, "after", 0);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    int after = argc > 1 && strcmp(argv[1], "after") == 0;
    MPI_Session first = opened();
    ring(first, "first", !after);
    if (after) {
        around_the_world(first);
        return 0;
    }
    MPI_Session second = opened();
    MPI_Session_finalize(&first);
    ring(second, "second", 1);
    MPI_Session_finalize(&second);
    return 0;
}
