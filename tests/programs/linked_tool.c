/* linked_tool: a tool of the profiling interface that is linked into a program. It counts the
 * program's messages, and sends its counters to rank 0 when the program begins and when it ends;
 * rank 0 prints their sum as "tool MESSAGES".
 */
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    calls++;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}

static int sum(void)
{
    int rank, ranks, all = calls, one;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0)
        PMPI_Send(&calls, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
    for (int other = 1; rank == 0 && other < ranks; other++) {
        PMPI_Recv(&one, 1, MPI_INT, other, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        all += one;
    }
    PMPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("tool %d\n", all);
    return all;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    sum();
    return code;
}

int MPI_Finalize(void)
{
    sum();
    fflush(stdout);
    return PMPI_Finalize();
}
