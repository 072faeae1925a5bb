/* Numbers of handles, and handles of the tool interface that are bound to the world. Prints values
 * that must not depend on how ranks are numbered. */
#include "world.h"

int main(int argc, char **argv)
{
    int provided, number, bound = 0;
    MPI_Init(&argc, &argv);
#ifndef MPI_ABI_VERSION
    printf("c2f %d\n", (int)MPI_Comm_c2f(MPI_COMM_WORLD));
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
#endif
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    MPI_T_pvar_session session;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&number);
    for (int i = 0; i < number; i++) {
        int binding, name = 0, text = 0, verbosity, class, readonly, continuous, atomic, count;
        MPI_Datatype type;
        MPI_T_enum set;
        if (MPI_T_pvar_get_info(i, NULL, &name, &verbosity, &class, &type, &set, NULL, &text, &binding, &readonly, &continuous, &atomic) != MPI_SUCCESS)
            continue;
        if (binding != MPI_T_BIND_MPI_COMM)
            continue;
        MPI_Comm world = MPI_COMM_WORLD;
        MPI_T_pvar_handle handle;
        if (MPI_T_pvar_handle_alloc(session, i, &world, &handle, &count) == MPI_SUCCESS) {
            int size;
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            bound++;
            CHECK(count >= 1 && world == MPI_COMM_WORLD);
            printf("variable %d: %d values\n", i, count);
            MPI_T_pvar_handle_free(session, &handle);
        }
    }
    printf("%d variables are bound to communicators\n", bound);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
