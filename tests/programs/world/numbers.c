/* Prints one line for each rank, in rank order: RANK LAUNCHER_RANK. Messages, collectives, groups
 * and everything else that names a rank must agree on the numbers. With SOURCES_NAMED in the
 * environment no receive is from any source. */
#include "world.h"

int main(int argc, char **argv)
{
    const int process = launched_as();
    MPI_Init(&argc, &argv);
    int rank, size, all[1024];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &all[0]);
    CHECK(all[0] == rank);

    /* A ring, nonblocking, blocking and persistent. */
    int next = (rank + 1) % size, before = (rank + size - 1) % size, got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 7, &got, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == before);
    MPI_Request requests[2];
    MPI_Status status[2];
    int source = getenv("SOURCES_NAMED") ? before : MPI_ANY_SOURCE;
    MPI_Irecv(&got, 1, MPI_INT, source, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, status);
    CHECK(got == before && status[0].MPI_SOURCE == before);
    MPI_Send_init(&rank, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&got, 1, MPI_INT, before, 9, MPI_COMM_WORLD, &requests[1]);
    got = -1;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(got == before);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    /* Collectives. */
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(all[i] == i);
    int sum = 0;
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == rank * (rank + 1) / 2);
    int word = rank == size - 1 ? 41 : 0;
    MPI_Bcast(&word, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK(word == 41);
    MPI_Request barrier;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);

    /* Groups, names, comparisons. */
    MPI_Group group;
    int of_group, relation;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_rank(group, &of_group);
    CHECK(of_group == rank);
    MPI_Comm same, part;
    MPI_Comm_create(MPI_COMM_WORLD, group, &same);
    MPI_Comm_compare(MPI_COMM_WORLD, same, &relation);
    CHECK(relation == MPI_CONGRUENT);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &relation);
    CHECK(relation == MPI_IDENT);
    MPI_Comm_free(&same);
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_rank(same, &of_group);
    CHECK(of_group == rank);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &part);
    MPI_Comm_rank(part, &of_group);
    CHECK(of_group == rank);
    MPI_Comm_free(&part);
    MPI_Group_free(&group);
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(!strcmp(name, "MPI_COMM_WORLD"));

    /* An intercommunicator of even and odd ranks. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    MPI_Comm_rank(part, &of_group);
    CHECK(of_group == rank / 2);
    if (size > 1) {
        MPI_Comm inter;
        MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 6, &inter);
        int remote;
        MPI_Comm_remote_size(inter, &remote);
        CHECK(remote == (rank % 2 ? (size + 1) / 2 : size / 2));
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&part);
    MPI_Comm_free(&same);

    /* Topologies. */
    int dims[1] = {size}, periods[1] = {1}, dest;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Cart_shift(ring, 0, 1, &source, &dest);
    CHECK(source == before && dest == next);
    MPI_Comm_free(&ring);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    got = -1;
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
    CHECK(got == before);
    MPI_Comm_free(&ring);

    /* Windows and files name ranks too. */
    MPI_Win window;
    /* MPICH 4.0.2 loses what is put into a window that does not begin at a multiple of 8. */
    _Alignas(8) int seen = -1;
    MPI_Win_create(&seen, sizeof seen, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(seen == before);
    MPI_Win_free(&window);
    if (argc > 1) {
        MPI_File file;
        CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
        MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_read_at_all(file, (MPI_Offset)sizeof(int) * before, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
        CHECK(got == before);
        MPI_File_close(&file);
    }

    int processes[1024];
    MPI_Gather(&process, 1, MPI_INT, processes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%d %d\n", i, processes[i]);
    MPI_Finalize();
    return 0;
}
