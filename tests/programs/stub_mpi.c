/* stub_mpi: an MPI library that moves nothing, for measuring what is in front of it. Build it as a
 * shared library.
 *
 * One process plays rank 0 of a world of STUB_RANKS (64 without it). Handles and constants are
 * MPICH's, as in stub_mpi.h, so programs for it include no mpi.h. Only what librankfold.so,
 * `calls`, `communicators`, `fresh` and `streams` need exists.
 */
#include "stub_mpi.h"

#include <stdlib.h>
#include <string.h>

/* Every function under both its names, as an MPI library has them. */
#define EXPORT(name, arguments) \
    int MPI_##name arguments __attribute__((weak, alias("PMPI_" #name))); \
    int PMPI_##name arguments

static int ranks = 64;
/* What the profiler keeps of communicators, by the last digits of their handles; the world has the
 * first place. */
enum { COMMUNICATORS = 256 };
static void *attributes[COMMUNICATORS];
static int made;
typedef int copy_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int delete_function(MPI_Comm, int, void *, void *);
static copy_function *copied;
static delete_function *dropped;

EXPORT(Init, (int *argc, char ***argv))
{
    (void)argc, (void)argv;
    const char *wanted = getenv("STUB_RANKS");
    if (wanted)
        ranks = atoi(wanted);
    return 0;
}

EXPORT(Finalize, (void)) { return 0; }

EXPORT(Send, (const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
{
    (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    return 0;
}

EXPORT(Recv, (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, void *status))
{
    (void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm, (void)status;
    return 0;
}

EXPORT(Wait, (MPI_Request *request, void *status)) { return (void)request, (void)status, 0; }

EXPORT(Comm_rank, (MPI_Comm comm, int *rank)) { return (void)comm, *rank = 0; }
EXPORT(Comm_size, (MPI_Comm comm, int *size)) { return (void)comm, *size = ranks, 0; }
EXPORT(Comm_get_parent, (MPI_Comm *parent)) { return *parent = MPI_COMM_NULL, 0; }
EXPORT(Comm_test_inter, (MPI_Comm comm, int *flag)) { return (void)comm, *flag = 0; }
EXPORT(Comm_group, (MPI_Comm comm, int *group)) { return *group = comm, 0; }
EXPORT(Group_size, (int group, int *size)) { return (void)group, *size = ranks, 0; }
EXPORT(Group_free, (int *group)) { return *group = 0; }

EXPORT(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm))
{
    (void)buffer, (void)count, (void)type, (void)root, (void)comm;
    return 0;
}

EXPORT(Comm_create_keyval, (copy_function *copy, delete_function *drop, int *key, void *extra))
{
    (void)extra;
    copied = copy;
    dropped = drop;
    return *key = 1, 0;
}

EXPORT(Comm_get_attr, (MPI_Comm comm, int key, void **value, int *found))
{
    (void)key;
    *value = attributes[comm % COMMUNICATORS];
    *found = *value != NULL;
    return 0;
}

EXPORT(Comm_set_attr, (MPI_Comm comm, int key, void *value))
{
    (void)key;
    attributes[comm % COMMUNICATORS] = value;
    return 0;
}

static long translated_ranks;
long stub_translated_ranks(void) { return translated_ranks; }

/* Every communicator holds all ranks in the same order. */
EXPORT(Group_translate_ranks, (int from, int number, const int *asked, int to, int *found))
{
    (void)from, (void)to;
    translated_ranks += number;
    memcpy(found, asked, number * sizeof *asked);
    return 0;
}

/* A handle of no living communicator of which the profiler keeps anything. */
static MPI_Comm new_handle(void)
{
    MPI_Comm new;
    do
        new = MPI_COMM_WORLD + 1 + made++ % (COMMUNICATORS - 1);
    while (attributes[new % COMMUNICATORS]);
    return new;
}

EXPORT(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *new))
{
    (void)comm, (void)colour, (void)key;
    return *new = new_handle(), 0;
}

EXPORT(Comm_dup, (MPI_Comm comm, MPI_Comm *new))
{
    void *attribute = attributes[comm % COMMUNICATORS], *copy;
    int flag = 0;
    *new = new_handle();
    if (attribute && copied(comm, 1, NULL, attribute, &copy, &flag) == 0 && flag)
        attributes[*new % COMMUNICATORS] = copy;
    return 0;
}

EXPORT(Type_size, (MPI_Datatype type, int *size)) { return *size = type >> 8 & 0xff, 0; }

EXPORT(Comm_idup, (MPI_Comm comm, MPI_Comm *new, int *request)) { return *new = comm, *request = 0; }
EXPORT(Comm_create_errhandler, (void *handle, int *new)) { return (void)handle, *new = 1, 0; }
EXPORT(Comm_set_errhandler, (MPI_Comm comm, int handler)) { return (void)comm, (void)handler, 0; }
EXPORT(Errhandler_free, (int *handler)) { return *handler = 0; }
EXPORT(Cancel, (int *request)) { return (void)request, 0; }
EXPORT(Request_free, (int *request)) { return *request = 0; }

/* Plays the report that the other ranks send when the run begins: its first number says that they
 * are ready to be profiled. A receive of eight bytes, as at the end of the run, fails. Receives of
 * the program itself are shorter. */
EXPORT(Irecv, (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request))
{
    (void)type, (void)source, (void)tag, (void)comm;
    if (count == 8)
        return 15;
    if (count > 8) {
        memset(buffer, 0, count);
        *(char *)buffer = 1;
    }
    return *request = 0;
}

EXPORT(Isend, (const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, int *request))
{
    (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    return *request = 0;
}

EXPORT(Comm_free, (MPI_Comm *comm))
{
    void **attribute = &attributes[*comm % COMMUNICATORS];
    if (*attribute)
        dropped(*comm, 1, *attribute, NULL);
    *attribute = NULL;
    return *comm = MPI_COMM_NULL, 0;
}

EXPORT(Test, (int *request, int *done, void *status))
{
    (void)request, (void)status;
    return *done = 1, 0;
}

#define EXTENSION(name, arguments) \
    int MPIX_##name arguments __attribute__((weak, alias("PMPIX_" #name))); \
    int PMPIX_##name arguments

#define DEFINE_STREAM_FUNCTIONS(Count, suffix) \
    EXTENSION(Stream_send##suffix, \
              (const void *buffer, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, int from, int to)) \
    { \
        return (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm, (void)from, (void)to, 0; \
    } \
    EXTENSION(Stream_isend##suffix, \
              (const void *buffer, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, int from, int to, \
               MPI_Request *request)) \
    { \
        (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm, (void)from, (void)to; \
        return *request = 0; \
    } \
    EXTENSION(Send_enqueue##suffix, (const void *buffer, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) \
    { \
        return (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm, 0; \
    } \
    EXTENSION(Isend_enqueue##suffix, \
              (const void *buffer, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)) \
    { \
        (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm; \
        return *request = 0; \
    } \
    EXTENSION(Allreduce_enqueue##suffix, \
              (const void *buffer, void *into, Count count, MPI_Datatype type, int operation, MPI_Comm comm)) \
    { \
        return (void)buffer, (void)into, (void)count, (void)type, (void)operation, (void)comm, 0; \
    }

DEFINE_STREAM_FUNCTIONS(int, )
DEFINE_STREAM_FUNCTIONS(long, _c)

#ifndef UNKNOWN_FAMILY
/* The mark of MPICH's family. */
int MPIR_Dup_fn(void) { return 0; }
#endif
