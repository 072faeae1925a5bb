/* times: rank 1 waits 0.45 s for rank 0 four times: in a receive, in a wait, in a collective and at
 * a fence. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, number = 1, sum;
    MPI_Request request;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&sum, sizeof sum, sizeof sum, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int turn = 0; turn < 4; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            usleep(450000);
        if (turn == 0 && rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        if (turn == 0 && rank == 1)
            MPI_Recv(&sum, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (turn == 1 && rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        if (turn == 1 && rank == 1) {
            MPI_Irecv(&sum, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (turn == 2)
            MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (turn == 3)
            MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
