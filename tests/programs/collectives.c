/* collectives: every collective in every form, on the world, on parts of the world, and between two
 * parts.
 *
 * Prints what it called, in lines of the form
 *
 *     called OPERATION MEMBERS REMOTE ROOT BYTES CALLS
 *     exchanged SOURCE DESTINATION BYTES MESSAGES
 *     block OPERATION MEMBERS RANK BYTES
 *
 * with members as world ranks joined by commas, "-" for none, and bytes as a profile means them.
 * Lines that differ in bytes and calls only add up, unless the bytes of a call differ by a factor
 * of two or more.
 */
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define OFTEN(name) MPIX_##name##_init
#else
#define OFTEN(name) MPI_##name##_init
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPICH 4.0 fails when a persistent collective starts again. */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
#define STARTS 1
#else
#define STARTS 2
#endif

enum { ROOM = 1 << 16, MOST = 64 };

static char *out, *in;
static int world;
/* Of the communicator in use: own rank, ranks addressed, and world ranks of both sides. */
static int me, others;
static char members[4 * MOST], remote[4 * MOST];
static int addressed[MOST];

static void told(const char *operation, int root, long bytes, int calls)
{
    printf("called %s %s %s %d %ld %d\n", operation, members, remote, root, bytes, calls);
}

static void exchanged(int to, long bytes, int messages)
{
    if (bytes > 0)
        printf("exchanged %d %d %ld %d\n", world, addressed[to], bytes * messages, messages);
}

/* This rank's block in collectives whose members have blocks of different sizes. */
static void block(const char *operation, long bytes)
{
    if (others > 1)
        printf("block %s %s %d %ld\n", operation, members, world, bytes);
}

static int name(MPI_Group group, char *text, int *ranks)
{
    MPI_Group all;
    int size, own[MOST];
    MPI_Group_size(group, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size; i++)
        own[i] = i;
    MPI_Group_translate_ranks(group, size, own, all, ranks);
    for (int i = 0; i < size; i++)
        text += sprintf(text, i ? ",%d" : "%d", ranks[i]);
    MPI_Group_free(&all);
    return size;
}

static void use(MPI_Comm comm)
{
    int inter;
    MPI_Group group;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_group(comm, &group);
    others = name(group, members, addressed);
    strcpy(remote, "-");
    MPI_Group_free(&group);
    if (inter) {
        MPI_Comm_remote_group(comm, &group);
        others = name(group, remote, addressed);
        MPI_Group_free(&group);
    }
}

static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* A persistent call, started more than once. */
static void often(MPI_Request *request)
{
    for (int i = 0; i < STARTS; i++) {
        MPI_Start(request);
        finish(request);
    }
    MPI_Request_free(request);
}

/* Blocking, nonblocking, and persistent. */
#define ALL_FORMS(now, soon, persistent, ...) \
    do { \
        MPI_Request request; \
        MPI_##now(__VA_ARGS__); \
        MPI_##soon(__VA_ARGS__, &request); \
        finish(&request); \
        OFTEN(persistent)(__VA_ARGS__, MPI_INFO_NULL, &request); \
        often(&request); \
    } while (0)

enum { FORMS = 2 + STARTS };

/* Those in which every member has the same to say; the first member says it. */
static void alike(MPI_Comm comm, int count)
{
    int root = others - 1, first = me == 0;
    long bytes = 4L * count;
    int counts[MOST], total = 0;
    for (int i = 0; i < others; i++)
        total += counts[i] = count + i;
    ALL_FORMS(Barrier, Ibarrier, Barrier, comm);
    ALL_FORMS(Bcast, Ibcast, Bcast, out, count, MPI_INT, root, comm);
    ALL_FORMS(Reduce, Ireduce, Reduce, out, in, count, MPI_INT, MPI_SUM, root, comm);
    ALL_FORMS(Allreduce, Iallreduce, Allreduce, out, in, count, MPI_INT, MPI_SUM, comm);
    ALL_FORMS(Scan, Iscan, Scan, out, in, count, MPI_INT, MPI_SUM, comm);
    ALL_FORMS(Exscan, Iexscan, Exscan, out, in, count, MPI_INT, MPI_SUM, comm);
    ALL_FORMS(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block, out, in, count, MPI_INT, MPI_SUM, comm);
    ALL_FORMS(Reduce_scatter, Ireduce_scatter, Reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
    ALL_FORMS(Gather, Igather, Gather, out, count, MPI_INT, in, count, MPI_INT, root, comm);
    ALL_FORMS(Scatter, Iscatter, Scatter, out, count, MPI_INT, in, count, MPI_INT, root, comm);
    ALL_FORMS(Allgather, Iallgather, Allgather, out, count, MPI_INT, in, count, MPI_INT, comm);
    ALL_FORMS(Alltoall, Ialltoall, Alltoall, out, count, MPI_INT, in, count, MPI_INT, comm);
    block("Reduce_scatter", 4L * counts[me] * FORMS);
    if (!first)
        return;
    told("Barrier", -1, 0, FORMS);
    const char *rooted[] = {"Bcast", "Reduce", "Gather", "Scatter"};
    const char *unrooted[] = {"Allreduce", "Scan", "Exscan", "Allgather", "Alltoall"};
    for (unsigned i = 0; i < sizeof rooted / sizeof *rooted; i++)
        told(rooted[i], root, bytes * FORMS, FORMS);
    for (unsigned i = 0; i < sizeof unrooted / sizeof *unrooted; i++)
        told(unrooted[i], -1, bytes * FORMS, FORMS);
    told("Reduce_scatter_block", -1, bytes * others * FORMS, FORMS);
    told("Reduce_scatter", -1, 4L * total * FORMS, FORMS);
}

/* Those with blocks of different sizes. Member i gives member j i + 2 j + 1 numbers. */
static void varying(MPI_Comm comm)
{
    int give[MOST], get[MOST], from[MOST], to[MOST], blocks[MOST], starts[MOST];
    int given = 0, gotten = 0, total = 0, all = 0, root = 0;
    MPI_Datatype types[MOST];
    for (int i = 0; i < others; i++) {
        give[i] = me + 2 * i + 1;
        get[i] = i + 2 * me + 1;
        from[i] = given;
        to[i] = gotten;
        starts[i] = total;
        given += give[i];
        gotten += get[i];
        total += blocks[i] = i + 1;
        types[i] = MPI_INT;
        for (int j = 0; j < others; j++)
            all += i + 2 * j + 1;
    }
    ALL_FORMS(Alltoallv, Ialltoallv, Alltoallv, out, give, from, MPI_INT, in, get, to, MPI_INT, comm);
    for (int i = 0; i < others; i++)
        exchanged(i, 4L * give[i], FORMS);
    for (int i = 0; i < others; i++)
        from[i] *= 4, to[i] *= 4;
    ALL_FORMS(Alltoallw, Ialltoallw, Alltoallw, out, give, from, types, in, get, to, types, comm);
    for (int i = 0; i < others; i++)
        exchanged(i, 4L * give[i], FORMS);
    ALL_FORMS(Allgatherv, Iallgatherv, Allgatherv, out, me + 1, MPI_INT, in, blocks, starts, MPI_INT, comm);
    block("Allgatherv", 4L * (me + 1) * FORMS);
    ALL_FORMS(Gatherv, Igatherv, Gatherv, out, me + 1, MPI_INT, in, blocks, starts, MPI_INT, root, comm);
    exchanged(root, 4L * (me + 1), FORMS);
    ALL_FORMS(Scatterv, Iscatterv, Scatterv, out, blocks, starts, MPI_INT, in, me + 1, MPI_INT, root, comm);
    for (int i = 0; me == root && i < others; i++)
        exchanged(i, 4L * blocks[i], FORMS);
    if (me != 0)
        return;
    told("Alltoallv", -1, 4L * all * FORMS, FORMS);
    told("Alltoallw", -1, 4L * all * FORMS, FORMS);
    told("Allgatherv", -1, 4L * total * FORMS, FORMS);
    told("Gatherv", root, 4L * total * FORMS, FORMS);
    told("Scatterv", root, 4L * total * FORMS, FORMS);
}

/* Where one buffer serves as both, arguments for the other one mean nothing. */
static void in_place(MPI_Comm comm)
{
    int root = 0, at_root = me == root, junk = -7;
    int same[MOST], starts[MOST], all = 0;
    MPI_Datatype types[MOST];
    for (int i = 0; i < others; i++) {
        same[i] = i == me ? 2 : me + i;
        starts[i] = 100 * i;
        types[i] = MPI_INT;
    }
    for (int i = 0; i < others; i++)
        for (int j = 0; j < others; j++)
            all += i == j ? 2 : i + j;
    void *buffer = at_root ? MPI_IN_PLACE : out;
    MPI_Reduce(buffer, at_root ? in : NULL, 3, MPI_INT, MPI_SUM, root, comm);
    MPI_Gather(buffer, at_root ? junk : 3, MPI_INT, in, at_root ? 3 : junk, MPI_INT, root, comm);
    MPI_Scatter(out, at_root ? 3 : junk, MPI_INT, at_root ? MPI_IN_PLACE : in, at_root ? junk : 3, MPI_INT, root, comm);
    MPI_Allgather(MPI_IN_PLACE, junk, MPI_DATATYPE_NULL, in, 3, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, junk, MPI_DATATYPE_NULL, in, 3, MPI_INT, comm);
    MPI_Allreduce(MPI_IN_PLACE, in, 3, MPI_INT, MPI_SUM, comm);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, same, starts, MPI_INT, comm);
    for (int i = 0; i < others; i++)
        exchanged(i, 4L * same[i], 1);
    for (int i = 0; i < others; i++)
        starts[i] *= 4;
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, same, starts, types, comm);
    for (int i = 0; i < others; i++)
        exchanged(i, 4L * same[i], 1);
    if (me != 0)
        return;
    const char *rooted[] = {"Reduce", "Gather", "Scatter"}, *unrooted[] = {"Allgather", "Alltoall", "Allreduce"};
    for (int i = 0; i < 3; i++) {
        told(rooted[i], root, 12, 1);
        told(unrooted[i], -1, 12, 1);
    }
    told("Alltoallv", -1, 4L * all, 1);
    told("Alltoallw", -1, 4L * all, 1);
}

/* Blocking and nonblocking. */
#define BOTH_FORMS(now, soon, ...) \
    do { \
        MPI_Request request; \
        MPI_##now(__VA_ARGS__); \
        MPI_##soon(__VA_ARGS__, &request); \
        finish(&request); \
    } while (0)

/* From both sides; the root is the last of the upper side. */
static void between(MPI_Comm comm, int upper, int lower_size, int upper_size)
{
    int root = upper_size - 1;
    int argument = !upper ? root : me == root ? MPI_ROOT : MPI_PROC_NULL;
    int counts[MOST], starts[MOST];
    for (int i = 0; i < others; i++) {
        counts[i] = upper ? 3 : 5;
        starts[i] = 10 * i;
    }
    BOTH_FORMS(Barrier, Ibarrier, comm);
    BOTH_FORMS(Bcast, Ibcast, out, 7, MPI_INT, argument, comm);
    BOTH_FORMS(Reduce, Ireduce, out, in, 7, MPI_INT, MPI_SUM, argument, comm);
    BOTH_FORMS(Gather, Igather, out, 7, MPI_INT, in, 7, MPI_INT, argument, comm);
    BOTH_FORMS(Scatter, Iscatter, out, 7, MPI_INT, in, 7, MPI_INT, argument, comm);
    /* The upper side gives five numbers each, the lower one three. */
    int mine = upper ? 5 : 3, theirs = upper ? 3 : 5;
    BOTH_FORMS(Allgather, Iallgather, out, mine, MPI_INT, in, theirs, MPI_INT, comm);
    BOTH_FORMS(Alltoall, Ialltoall, out, mine, MPI_INT, in, theirs, MPI_INT, comm);
    BOTH_FORMS(Allgatherv, Iallgatherv, out, mine, MPI_INT, in, counts, starts, MPI_INT, comm);
    BOTH_FORMS(Allreduce, Iallreduce, out, in, 9, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < others; i++)
        counts[i] = 7;
    BOTH_FORMS(Gatherv, Igatherv, out, 7, MPI_INT, in, counts, starts, MPI_INT, argument, comm);
    if (!upper)
        exchanged(root, 28, 2);
    if (me != 0)
        return;
    told("Barrier", -1, 0, 2);
    told("Allgather", -1, 8L * mine, 2);
    told("Alltoall", -1, 8L * mine, 2);
    told("Allgatherv", -1, 8L * mine * (upper ? upper_size : lower_size), 2);
    told("Allreduce", -1, 72, 2);
    if (!upper)
        return;
    told("Bcast", root, 56, 2);
    told("Reduce", root, 56, 2);
    told("Gather", root, 56, 2);
    told("Scatter", root, 56, 2);
    told("Gatherv", root, 56L * lower_size, 2);
}

int main(int argc, char **argv)
{
    MPI_Comm part, bridge;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out = calloc(MOST, ROOM);
    in = calloc(MOST, ROOM);

    use(MPI_COMM_WORLD);
    alike(MPI_COMM_WORLD, 10);
    alike(MPI_COMM_WORLD, 1000);
    varying(MPI_COMM_WORLD);
    in_place(MPI_COMM_WORLD);

    /* Odd and even ranks, in descending order; made twice, which makes no difference. */
    for (int i = 0; i < 2; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, world % 2, -world, &part);
        use(part);
        alike(part, 100);
        MPI_Comm_free(&part);
    }

    /* One rank on the lower side. */
    int upper = world >= 1;
    MPI_Comm_split(MPI_COMM_WORLD, upper, world, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, upper ? 0 : 1, 3, &bridge);
    use(bridge);
    between(bridge, upper, 1, ranks - 1);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&part);

    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
