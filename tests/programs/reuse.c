/* reuse: handles that MPI gives to a new object right after the old object was freed.
 *
 *     reuse [ROUNDS=20]
 *
 * Communicators of changing rank order, datatypes of changing size, windows and persistent sends,
 * each made, used and freed in turn; also a datatype that is freed while a persistent send still
 * uses it. Every rank prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

enum { LARGEST = 1 << 16 };

static int world, ranks;
static char outgoing[LARGEST], incoming[LARGEST];

static void tell(int to, int bytes, int messages)
{
    printf("sent %d %d %d %d\n", world, to, bytes * messages, messages);
}

/* The neighbour of the same number is another rank in every second communicator. */
static void communicators(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        MPI_Comm comm;
        int rank, step = round % 2 ? 1 : ranks - 1;
        MPI_Comm_split(MPI_COMM_WORLD, 0, round % 2 ? world : -world, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Sendrecv(outgoing, 100, MPI_BYTE, (rank + 1) % ranks, 0, incoming, 100, MPI_BYTE,
                     (rank + ranks - 1) % ranks, 0, comm, MPI_STATUS_IGNORE);
        tell((world + step) % ranks, 100, 1);
        MPI_Comm_free(&comm);
    }
}

static void datatypes(int rounds)
{
    int next = (world + 1) % ranks, previous = (world + ranks - 1) % ranks;
    for (int round = 0; round < rounds; round++) {
        MPI_Datatype type;
        MPI_Type_contiguous(10 + 7 * round, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        MPI_Sendrecv(outgoing, 3, type, next, 0, incoming, 3, type, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        tell(next, 3 * (10 + 7 * round), 1);
        MPI_Type_free(&type);
    }
}

static void persistent_sends(int rounds)
{
    int next = (world + 1) % ranks, previous = (world + ranks - 1) % ranks;
    for (int round = 0; round < rounds; round++) {
        MPI_Datatype type;
        MPI_Request requests[2];
        int bytes = 1000 + round, to = round % 2 ? previous : next, from = round % 2 ? next : previous;
        MPI_Type_contiguous(bytes, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        MPI_Send_init(outgoing, 1, type, to, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(incoming, 1, type, from, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Type_free(&type);
        for (int start = 0; start < 2; start++) {
            MPI_Startall(2, requests);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        tell(to, bytes, 2);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
}

static void windows(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        MPI_Comm comm;
        MPI_Win window;
        int rank, step = round % 2 ? 1 : ranks - 1;
        MPI_Comm_split(MPI_COMM_WORLD, 0, round % 2 ? world : -world, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Win_create(incoming, LARGEST, 1, MPI_INFO_NULL, comm, &window);
        MPI_Win_fence(0, window);
        MPI_Put(outgoing, 50, MPI_BYTE, (rank + 1) % ranks, 0, 50, MPI_BYTE, window);
        MPI_Win_fence(0, window);
        tell((world + step) % ranks, 50, 1);
        MPI_Win_free(&window);
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = argument(argc, argv, 1, 20);
    communicators(rounds);
    datatypes(rounds);
    persistent_sends(rounds);
    windows(rounds);
    MPI_Finalize();
    return 0;
}
