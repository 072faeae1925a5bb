/* Error handlers that are called for an error of the world are given MPI_COMM_WORLD, whether they
 * were set before or after the renumbering, and by whichever function. */
#include "world.h"

static int called, called_other;
static MPI_Comm twin;

static void handler(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_WORLD && *code != MPI_SUCCESS);
    called++;
}

static void other(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == twin && *comm != MPI_COMM_WORLD);
    called_other++;
}

int main(int argc, char **argv)
{
    int size, word = 0;
    MPI_Errhandler first, second, set;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &set);
    CHECK(set == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(handler, &first);
    MPI_Comm_create_errhandler(other, &second);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, first);
    MPI_Comm_set_errhandler(twin, second);
    MPI_Send(&word, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    CHECK(called == 1);
    MPI_Send(&word, 1, MPI_INT, size, 0, twin);
    CHECK(called_other == 1);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    CHECK(called == 2);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &set);
    CHECK(set == first);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(&word, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK(MPI_Comm_free(&world) != MPI_SUCCESS);
    CHECK(called == 2);
    /* The same function again is the same handler to the program, and there may be many. */
    for (int i = 0; i < 200; i++) {
        MPI_Errhandler again;
        MPI_Comm_create_errhandler(handler, &again);
        MPI_Errhandler_free(&again);
    }
    MPI_Errhandler_free(&first);
    MPI_Errhandler_free(&second);
    MPI_Comm_free(&twin);
    fputs("errors as expected\n", stdout);
    MPI_Finalize();
    return 0;
}
