/* freed: sends a message after each function that frees an object or begins a phase, followed by a
 * function in which MPI itself sends.
 *
 * Every rank prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include <mpi.h>

#include <stdio.h>

enum { MOVES = 5, BYTES = 1000 };

static int rank, ranks;

static void move(int which)
{
    static int memory[1];
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Win window;
    switch (which) {
    case 0:
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
        break;
    case 1:
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_disconnect(&comm);
        break;
    case 2:
        MPI_Type_contiguous(3, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&type);
        break;
    case 3:
        MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_free(&window);
        break;
    default:
        MPI_Pcontrol(3);
    }
}

/* A function in which MPI sends messages. */
static void make(int which)
{
    MPI_Comm comm;
    if (which == 0)
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    else if (which == 1)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    /* The communicator stays, since to free it would be another move. */
}

int main(int argc, char **argv)
{
    static char outgoing[BYTES], incoming[BYTES];
    enum { MAKES = 3 };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    for (int which = 0; which < MOVES * MAKES; which++) {
        move(which / MAKES);
        make(which % MAKES);
        MPI_Sendrecv(outgoing, BYTES, MPI_BYTE, next, 0, incoming, BYTES, MPI_BYTE, previous, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("sent %d %d %d %d\n", rank, next, MOVES * MAKES * BYTES, MOVES * MAKES);
    MPI_Finalize();
    return 0;
}
