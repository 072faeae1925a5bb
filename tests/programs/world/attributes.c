/* Attributes and their callbacks, on the world and on its duplicates; whatever MPI passes to a
 * callback names the world by MPI_COMM_WORLD. What is printed must not depend on how ranks are
 * numbered, but for "io" and "host". */
#include "world.h"

static int rank, deleted_on_world, deleted_on_self, copies;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    CHECK(comm == MPI_COMM_WORLD && state == &copies);
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_world(MPI_Comm comm, int key, void *value, void *state)
{
    CHECK(state == &copies && value == &rank);
    deleted_on_world += comm == MPI_COMM_WORLD;
    return MPI_SUCCESS;
}

static int on_other(MPI_Comm comm, int key, void *value, void *state)
{
    CHECK(comm != MPI_COMM_WORLD);
    return MPI_SUCCESS;
}

/* MPI_Finalize runs it first of all: the world is still the one the program knows. */
static int on_self(MPI_Comm comm, int key, void *value, void *state)
{
    int now;
    CHECK(comm == MPI_COMM_SELF && !deleted_on_world);
    MPI_Comm_rank(MPI_COMM_WORLD, &now);
    CHECK(now == rank);
    MPI_Barrier(MPI_COMM_WORLD);
    deleted_on_self++;
    return MPI_SUCCESS;
}

static void told(void)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    printf("finalized %d, deleted on self %d, on the world %d\n", finalized, deleted_on_self, deleted_on_world);
}

static void predefined(const char *name, int key)
{
    int *value, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
    printf("%s %d %d\n", name, found, found ? *value : 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    predefined("tag_ub", MPI_TAG_UB);
    predefined("universe_size", MPI_UNIVERSE_SIZE);
    predefined("appnum", MPI_APPNUM);
    predefined("wtime_is_global", MPI_WTIME_IS_GLOBAL);
    predefined("lastusedcode", MPI_LASTUSEDCODE);
    int *io, found, code;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &io, &found);
    CHECK(!found || *io == MPI_ANY_SOURCE || *io == MPI_PROC_NULL || *io == rank);
    MPI_Add_error_class(&code);
    predefined("lastusedcode", MPI_LASTUSEDCODE);

    int key, other, plain, none;
    void *value;
    MPI_Comm_create_keyval(copy, on_world, &key, &copies);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_other, &other, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank);
    MPI_Comm_set_attr(MPI_COMM_WORLD, plain, &other);
    MPI_Comm_set_attr(MPI_COMM_WORLD, none, &other);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
    CHECK(found && value == &rank);
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    CHECK(copies == 1);
    MPI_Comm_get_attr(twin, plain, &value, &found);
    CHECK(found && value == &other);
    MPI_Comm_get_attr(twin, none, &value, &found);
    CHECK(!found);
    MPI_Comm_get_attr(twin, other, &value, &found);
    CHECK(!found);
    MPI_Comm_set_attr(twin, other, &rank);
    MPI_Comm_delete_attr(twin, key);
    MPI_Comm_free(&twin);
    CHECK(!deleted_on_world);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_self, &other, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, other, NULL);
    MPI_Finalize();
    told();
    return 0;
}
