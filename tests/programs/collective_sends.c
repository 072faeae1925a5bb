/* collective_sends: collectives one after another, and the bytes that the library sends in each.
 *
 *     collective_sends OPERATIONS BYTES ROOT
 *
 * OPERATIONS and BYTES are lists with commas. An operation is named as in MPI, such as Allreduce or
 * Iallreduce; "Allreduce/ordered" and "Allreduce/own" take an operator of the program that does not
 * commute or that does, and "Allreduce_in_place" and the like pass MPI_IN_PLACE. Every operation is
 * called with every number of bytes on the world, in a phase of its own that is called "OPERATION
 * BYTES". BYTES is a multiple of 8:
 * the message of a broadcast, the vector of a reduction or scan, and the block for one rank of any
 * other operation. Vector forms have blocks of equal size. Every call is made once before, without
 * being counted: a library sets some things up in the first call of an algorithm.
 * Prints lines of the form
 *
 *     sent OPERATION BYTES SOURCE DESTINATION BYTES
 *     unseen OPERATION BYTES
 *
 * The second form says that a message had a datatype whose bytes cannot be counted here.
 *
 * The bytes are counted below the library's interface, where the library hands messages on.
 * Functions of this program take the place of functions of shared libraries (link with -rdynamic):
 *  - Open MPI with pml_monitoring_enable=1: the function by which its monitoring component counts;
 *  - MPICH over UCX: UCX's functions that send. The rank of an endpoint is found out by messages at
 *    the start. Messages through shared memory pass by UCX, and with MPIR_CVAR_NOLOCAL=1 there are
 *    none;
 *  - Intel MPI over libfabric: those of counted_fabric.h. Messages through shared memory pass by
 *    libfabric.
 */
#define _GNU_SOURCE
#include "counted_fabric.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

static int rank, ranks;
static long long sent[MOST];

/* Open MPI calls this for every message of its point-to-point layer, with the destination's rank in
 * the world. */
void mca_common_monitoring_record_pml(int to, size_t bytes, int tag)
{
    (void)tag;
    if (to >= 0 && to < MOST)
        sent[to] += bytes;
}

/* The beginning of UCX's ucp_request_param_t. */
struct request_parameters {
    uint32_t fields, flags;
    void *request;
    void *callback;
    uint64_t datatype;
};

enum { HAS_DATATYPE = 1 << 3, CONTIGUOUS = 0, CLASS = 7, CLASS_BITS = 3 };

static void *endpoints[MOST];
/* The rank that this rank sends to while it finds out endpoints, otherwise -1. */
static int probed = -1;
/* Whether this call sent a message whose bytes are not known. */
static int unseen;

static void count(void *endpoint, size_t items, const struct request_parameters *parameters)
{
    size_t bytes = items;
    if (parameters->fields & HAS_DATATYPE) {
        if ((parameters->datatype & CLASS) != CONTIGUOUS)
            unseen = 1;
        bytes *= parameters->datatype >> CLASS_BITS;
    }
    if (probed >= 0)
        endpoints[probed] = endpoint;
    for (int to = 0; to < ranks && to < MOST; to++)
        if (endpoints[to] == endpoint)
            sent[to] += bytes;
}

#define TAKES_THE_PLACE(name)                                                                               \
    void *name(void *endpoint, const void *buffer, size_t items, uint64_t tag, const void *parameters)      \
    {                                                                                                       \
        static void *(*next)(void *, const void *, size_t, uint64_t, const void *);                         \
        if (next == NULL)                                                                                   \
            next = (void *(*)(void *, const void *, size_t, uint64_t, const void *))dlsym(RTLD_NEXT, #name); \
        count(endpoint, items, parameters);                                                                       \
        return next(endpoint, buffer, items, tag, parameters);                                              \
    }

/* The address of every other rank in libfabric, plus one. */
static uint64_t addresses[MOST];

static void count_fabric(uint64_t address, size_t bytes)
{
    if (probed >= 0)
        addresses[probed] = address + 1;
    for (int to = 0; to < ranks && to < MOST; to++)
        if (addresses[to] == address + 1)
            sent[to] += bytes;
}

TAKES_THE_PLACE(ucp_tag_send_nbx)
TAKES_THE_PLACE(ucp_tag_send_sync_nbx)

/* One message from every rank to every other. */
static void find_endpoints(void)
{
    char byte = 0, other;
    for (int distance = 1; distance < ranks; distance++) {
        int to = (rank + distance) % ranks, from = (rank + ranks - distance) % ranks;
        MPI_Request request;
        MPI_Irecv(&other, 1, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        probed = to;
        MPI_Send(&byte, 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
        probed = -1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Operators of the program. Both take the left operand. */
static MPI_Op commutative, ordered;

static void left(void *in, void *inout, int *number, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, *number * sizeof(double));
}

/* Calls the operation called `name`, with an operator of the program if one is named behind a
 * slash. Returns 0 if there is none. */
static int call(const char *name, int bytes, int root, const double *out, double *in)
{
    int items = bytes / (int)sizeof(double), counts[MOST], byte_counts[MOST], starts[MOST], byte_starts[MOST];
    MPI_Datatype types[MOST];
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Op op = MPI_SUM;
    char plain[64];
    snprintf(plain, sizeof plain, "%s", name);
    char *named = strchr(plain, '/');
    if (named != NULL) {
        *named++ = '\0';
        op = strcmp(named, "ordered") == 0 ? ordered : commutative;
    }
    for (int i = 0; i < ranks; i++) {
        counts[i] = items;
        starts[i] = i * items;
        byte_counts[i] = items;
        byte_starts[i] = i * bytes;
        types[i] = MPI_DOUBLE;
    }
/* The blocking form of an operation, and its nonblocking form. */
#define CALL(now, soon, ...)                \
    if (strcmp(plain, #now) == 0)           \
        MPI_##now(__VA_ARGS__);             \
    else if (strcmp(plain, #soon) == 0)     \
        MPI_##soon(__VA_ARGS__, &request);  \
    else
    CALL(Bcast, Ibcast, in, items, MPI_DOUBLE, root, world)
    CALL(Gather, Igather, out, items, MPI_DOUBLE, in, items, MPI_DOUBLE, root, world)
    CALL(Gatherv, Igatherv, out, items, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, root, world)
    CALL(Scatter, Iscatter, out, items, MPI_DOUBLE, in, items, MPI_DOUBLE, root, world)
    CALL(Scatterv, Iscatterv, out, counts, starts, MPI_DOUBLE, in, items, MPI_DOUBLE, root, world)
    CALL(Reduce, Ireduce, out, in, items, MPI_DOUBLE, op, root, world)
    CALL(Allgather, Iallgather, out, items, MPI_DOUBLE, in, items, MPI_DOUBLE, world)
    CALL(Allgatherv, Iallgatherv, out, items, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, world)
    CALL(Alltoall, Ialltoall, out, items, MPI_DOUBLE, in, items, MPI_DOUBLE, world)
    CALL(Alltoallv, Ialltoallv, out, counts, starts, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, world)
    CALL(Alltoallw, Ialltoallw, out, byte_counts, byte_starts, types, in, byte_counts, byte_starts, types, world)
    CALL(Allreduce, Iallreduce, out, in, items, MPI_DOUBLE, op, world)
    CALL(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_DOUBLE, op, world)
    CALL(Reduce_scatter_block, Ireduce_scatter_block, out, in, items, MPI_DOUBLE, op, world)
    CALL(Scan, Iscan, out, in, items, MPI_DOUBLE, op, world)
    CALL(Exscan, Iexscan, out, in, items, MPI_DOUBLE, op, world)
    if (strcmp(plain, "Allreduce_in_place") == 0)
        MPI_Allreduce(MPI_IN_PLACE, in, items, MPI_DOUBLE, op, world);
    else if (strcmp(plain, "Iallreduce_in_place") == 0)
        MPI_Iallreduce(MPI_IN_PLACE, in, items, MPI_DOUBLE, op, world, &request);
    else if (strcmp(plain, "Alltoall_in_place") == 0)
        MPI_Alltoall(MPI_IN_PLACE, items, MPI_DOUBLE, in, items, MPI_DOUBLE, world);
    else if (strcmp(plain, "Ialltoall_in_place") == 0)
        MPI_Ialltoall(MPI_IN_PLACE, items, MPI_DOUBLE, in, items, MPI_DOUBLE, world, &request);
    else
        return 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 1;
}

static int measure(const char *name, int bytes, int root, const double *out, double *in)
{
    char phase[64];
    long long before[MOST], after[MOST];
    snprintf(phase, sizeof phase, "%s %d", name, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    memcpy(before, sent, sizeof sent);
    unseen = 0;
    MPI_Pcontrol(2, phase);
    int known = call(name, bytes, root, out, in);
    MPI_Pcontrol(-1);
    memcpy(after, sent, sizeof sent);
    for (int to = 0; to < ranks; to++)
        if (to != rank && after[to] > before[to])
            printf("sent %s %d %d %lld\n", phase, rank, to, after[to] - before[to]);
    if (unseen)
        printf("unseen %s\n", phase);
    fflush(stdout);
    return known;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4 || ranks > MOST) {
        fprintf(stderr, "usage: collective_sends OPERATIONS BYTES ROOT, with at most %d ranks\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Op_create(left, 1, &commutative);
    MPI_Op_create(left, 0, &ordered);
    find_endpoints();
    int most = 0;
    for (const char *at = argv[2]; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        most = atoi(at) > most ? atoi(at) : most;
    double *out = calloc(ranks, most), *in = calloc(ranks, most);
    char *rest = argv[1];
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        for (const char *at = argv[2]; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            if (!call(name, atoi(at), atoi(argv[3]) % ranks, out, in) ||
                !measure(name, atoi(at), atoi(argv[3]) % ranks, out, in)) {
                fprintf(stderr, "collective_sends: no operation %s\n", name);
                MPI_Abort(MPI_COMM_WORLD, 2);
            }
    }
    MPI_Op_free(&commutative);
    MPI_Op_free(&ordered);
    MPI_Finalize();
    return 0;
}
