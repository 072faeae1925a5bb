/* Calls a function of the name MPI_..., which no standard has and which the library `teleporter`
 * provides. */
#include "world.h"

int MPI_Teleport(MPI_Comm comm);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK(MPI_Teleport(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
