/* What MPI keeps of a communicator, for every kind of communicator that can be made of the world:
 * a table of objects and kinds. The launch with ranks in another order must print the same. */
#include "world.h"

static int rank, ranks;

/* What this rank says. Rank 0 prints it for all ranks, since launchers tear lines of several. */
static char said[1 << 16];
static int length;

#define SAY(...) (length += snprintf(said + length, sizeof said - length, __VA_ARGS__))

static void attribute(const char *kind, MPI_Comm comm, const char *name, int key)
{
    int *value, found = 0;
    MPI_Comm_get_attr(comm, key, &value, &found);
    SAY("%d %s %s %d %d\n", rank, kind, name, found, found ? *value : 0);
}

static void handler(const char *kind, MPI_Comm comm)
{
    MPI_Errhandler is;
    MPI_Comm_get_errhandler(comm, &is);
    SAY("%d %s handler %s\n", rank, kind,
           is == MPI_ERRORS_RETURN ? "returns" : is == MPI_ERRORS_ARE_FATAL ? "is fatal" : "other");
    MPI_Errhandler_free(&is);
}

static void tell(const char *kind, MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int letters = 0, inter = 0, topology = 0, set = 0, size = 0;
    if (comm == MPI_COMM_NULL) {
        SAY("%d %s null\n", rank, kind);
        return;
    }
    attribute(kind, comm, "tag_ub", MPI_TAG_UB);
    attribute(kind, comm, "universe_size", MPI_UNIVERSE_SIZE);
    attribute(kind, comm, "appnum", MPI_APPNUM);
    attribute(kind, comm, "wtime_is_global", MPI_WTIME_IS_GLOBAL);
    attribute(kind, comm, "lastusedcode", MPI_LASTUSEDCODE);
    attribute(kind, comm, "host", MPI_HOST);
    attribute(kind, comm, "io", MPI_IO);
    handler(kind, comm);
    MPI_Comm_get_name(comm, name, &letters);
    /* Some libraries number the names that they make up. */
    if (strncmp(name, "MPI_COMM", 8) != 0 && strcmp(name, "named") != 0)
        name[0] = 0;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Topo_test(comm, &topology);
    MPI_Comm_size(comm, &size);
    SAY("%d %s name %s inter %d topology %d size %d\n", rank, kind, name, inter, topology, size);
    MPI_Info info;
    char value[8] = "";
    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "mpi_assert_no_any_tag", 7, value, &set);
    SAY("%d %s info %d %s\n", rank, kind, set, set ? value : "");
    MPI_Info_free(&info);
}

static void tell_and_free(const char *kind, MPI_Comm comm)
{
    tell(kind, comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void duplicates(const char *of, MPI_Comm comm)
{
    char kind[64];
    MPI_Comm made, again;
    MPI_Request request;
    MPI_Comm_dup(comm, &made);
    snprintf(kind, sizeof kind, "dup of %s", of);
    tell(kind, made);
    MPI_Comm_dup(made, &again);
    MPI_Comm_free(&made);
    snprintf(kind, sizeof kind, "dup of dup of %s", of);
    tell_and_free(kind, again);
    MPI_Comm_idup(comm, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    snprintf(kind, sizeof kind, "idup of %s", of);
    tell_and_free(kind, made);
    MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made);
    snprintf(kind, sizeof kind, "dup_with_info of %s", of);
    tell_and_free(kind, made);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, half, other;
    MPI_Group all, first;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    tell("world", MPI_COMM_WORLD);
    tell("self", MPI_COMM_SELF);
    duplicates("world", MPI_COMM_WORLD);
    duplicates("self", MPI_COMM_SELF);

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    tell("split", half);
    duplicates("split", half);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    tell_and_free("split_type", comm);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (int[]){1, 0}, &first);
    MPI_Comm_create(MPI_COMM_WORLD, first, &comm);
    tell_and_free("create", comm);
    if (rank < 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, first, 7, &comm);
        tell_and_free("create_group", comm);
    }
    MPI_Group_free(&first);
    MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, &comm);
    tell_and_free("create_group of all", comm);
    MPI_Group_free(&all);

    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){1}, 0, &comm);
    tell("cart", comm);
    MPI_Cart_sub(comm, (int[]){1}, &other);
    tell_and_free("cart_sub", other);
    duplicates("cart", comm);
    MPI_Comm_free(&comm);
    MPI_Graph_create(MPI_COMM_WORLD, ranks, (int[]){0, 0, 0, 0}, (int[]){0}, 0, &comm);
    tell_and_free("graph", comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &rank, MPI_UNWEIGHTED, 0, &rank,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    tell_and_free("dist_graph", comm);

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &comm);
    tell("inter", comm);
    MPI_Comm_dup(comm, &other);
    tell_and_free("dup of inter", other);
    MPI_Intercomm_merge(comm, rank / 2, &other);
    tell_and_free("merge", other);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&half);

    MPI_Comm_set_name(MPI_COMM_WORLD, "named");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    tell_and_free("dup of named", comm);
    MPI_Comm_get_parent(&comm);
    tell("parent", comm);
    CHECK(length < (int)sizeof said);
    char *whole = malloc(ranks * sizeof said);
    MPI_Gather(said, sizeof said, MPI_CHAR, whole, sizeof said, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int from = 0; rank == 0 && from < ranks; from++)
        fputs(whole + from * sizeof said, stdout);
    MPI_Finalize();
    return 0;
}
