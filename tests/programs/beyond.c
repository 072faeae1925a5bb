/* beyond: makes more kinds of calls than a small memory of counters holds. Needs four ranks.
 *
 * Each rank sends ten messages of 1000 bytes to the next rank. On each of the 24 orders of the
 * ranks, which are 24 communicators, it broadcasts 12 sizes from each of two roots and sends a
 * message of 1000 bytes to the next rank of the world. Last, it sends five messages of 700 bytes to
 * the rank after the next, to which it has sent nothing before.
 */
#include <mpi.h>

enum { RANKS = 4, ROOTS = 2, NEXT = 10, LAST = 5, MOST = 2048 };

static char out[MOST], in[MOST];

static void exchange(MPI_Comm comm, int bytes, int to, int from)
{
    MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, comm,
                 MPI_STATUS_IGNORE);
}

/* The place of each rank in one of the 24 orders. */
static void order(int number, int place[RANKS])
{
    int left[RANKS] = {0, 1, 2, 3};
    for (int rank = 0; rank < RANKS; rank++) {
        int chosen = number % (RANKS - rank);
        number /= RANKS - rank;
        place[rank] = left[chosen];
        for (int i = chosen; i + 1 < RANKS; i++)
            left[i] = left[i + 1];
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int next = (rank + 1) % RANKS, before = (rank + 3) % RANKS;
    for (int i = 0; i < NEXT; i++)
        exchange(MPI_COMM_WORLD, 1000, next, before);
    for (int number = 0; number < 24; number++) {
        int place[RANKS];
        order(number, place);
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, 0, place[rank], &comm);
        for (int root = 0; root < ROOTS; root++)
            for (int bytes = 1; bytes <= MOST; bytes *= 2)
                MPI_Bcast(out, bytes, MPI_BYTE, root, comm);
        exchange(comm, 1000, place[next], place[before]);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < LAST; i++)
        exchange(MPI_COMM_WORLD, 700, (rank + 2) % RANKS, (rank + 2) % RANKS);
    MPI_Finalize();
    return 0;
}
