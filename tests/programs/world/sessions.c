/* Sessions: the process set of the world has the order of the world, before MPI_Init and after it.
 * Rank 0 prints RANK LAUNCHER_RANK of all ranks. */
#include "world.h"

static MPI_Comm made(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) == MPI_SUCCESS);
    MPI_Group_free(&group);
    return comm;
}

int main(int argc, char **argv)
{
    const int process = launched_as();
    int after = argc > 1 && !strcmp(argv[1], "after"), rank, size, processes[64];
    if (after)
        MPI_Init(&argc, &argv);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm comm = made(session, "org.example.world");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (after) {
        int of_world;
        MPI_Comm_rank(MPI_COMM_WORLD, &of_world);
        CHECK(of_world == rank);
    }
    MPI_Gather(&process, 1, MPI_INT, processes, 1, MPI_INT, 0, comm);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%d %d\n", i, processes[i]);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (after)
        MPI_Finalize();
    return 0;
}
