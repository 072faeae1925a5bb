/* pmpi_tool: another tool of the profiling interface, to be preloaded with ours. It says on standard output how many
 * messages a rank sent, as a line "tool RANK MESSAGES".
 */
#include <mpi.h>
#include <stdio.h>

static int messages;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    messages++;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool %d %d\n", rank, messages);
    fflush(stdout);
    return PMPI_Finalize();
}
