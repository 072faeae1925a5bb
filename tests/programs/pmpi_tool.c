/* pmpi_tool: another tool of the profiling interface, to be preloaded with ours. It says on
 * standard output how often a rank called MPI_Send and MPI_Put, as a line "tool RANK CALLS".
 */
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    calls++;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint at, int room,
            MPI_Datatype target_type, MPI_Win window)
{
    calls++;
    return PMPI_Put(origin, count, type, target, at, room, target_type, window);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool %d %d\n", rank, calls);
    fflush(stdout);
    return PMPI_Finalize();
}
