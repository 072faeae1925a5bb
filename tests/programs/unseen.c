/* unseen: moves data without calls of MPI that the profiler could count.
 *
 *     unseen [LIBRARY]
 *
 * Makes a window of shared memory and stores to it. Loads LIBRARY, if one is given.
 */
#include <dlfcn.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm node;
    MPI_Win window;
    int *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(sizeof *memory, sizeof *memory, MPI_INFO_NULL, node, &memory, &window);
    *memory = 1;
    if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
    MPI_Finalize();
    return 0;
}
