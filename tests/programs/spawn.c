/* spawn: every rank sends 100 bytes to each of two spawned children and 10 to its neighbour; the
 * children send 1000 to every parent and 500 to each other. Parents and children then reduce
 * together. */
#include <mpi.h>

enum { CHILDREN = 2 };

static char out[1000], in[1000];

static void to_all(MPI_Comm comm, int bytes, int others, int room)
{
    MPI_Request requests[64];
    for (int i = 0; i < others; i++)
        MPI_Isend(out, bytes, MPI_BYTE, i, 1, comm, &requests[i]);
    for (int i = 0; i < others; i++)
        MPI_Recv(in, room, MPI_BYTE, i, 1, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(others, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, bridge, all;
    int rank, ranks, others, one = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_parent(&parent);
    int child = parent != MPI_COMM_NULL;
    if (child)
        bridge = parent;
    else
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &bridge,
                       MPI_ERRCODES_IGNORE);
    MPI_Comm_remote_size(bridge, &others);
    to_all(bridge, child ? 1000 : 100, others, 1000);
    int own = child ? 500 : 10, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(out, own, MPI_BYTE, next, 2, in, own, MPI_BYTE, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(bridge, child, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&bridge);
    MPI_Finalize();
    return sum == ranks + others ? 0 : 1;
}
