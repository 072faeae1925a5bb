/* large_counts: collectives with counts of 64 bits, called as mpi4py calls them: only if they exist
 * when the program runs.
 *
 * Prints lines as `collectives` does. A function is left out where neither MPI nor a preloaded
 * library has it. Only the declarations here are used, so that it compiles with libraries that lack
 * the functions.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define OPTIONAL(name, ...) extern int name##_large(__VA_ARGS__) __asm__("MPI_" #name "_c") __attribute__((weak))

OPTIONAL(Bcast, void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
OPTIONAL(Alltoallv, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *, const MPI_Count *,
         const MPI_Aint *, MPI_Datatype, MPI_Comm);
OPTIONAL(Ialltoallv, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *, const MPI_Count *,
         const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Request *);
OPTIONAL(Alltoallw, const void *, const MPI_Count *, const MPI_Aint *, const MPI_Datatype *, void *, const MPI_Count *,
         const MPI_Aint *, const MPI_Datatype *, MPI_Comm);
OPTIONAL(Gatherv, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, int,
         MPI_Comm);
OPTIONAL(Scatterv, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int,
         MPI_Comm);
OPTIONAL(Allgatherv, const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype,
         MPI_Comm);
OPTIONAL(Reduce_scatter, const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op, MPI_Comm);
OPTIONAL(Neighbor_alltoallv, const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *, const MPI_Count *,
         const MPI_Aint *, MPI_Datatype, MPI_Comm);

enum { RANKS = 4 };

static int rank;

static void told(const char *operation, int root, long bytes, int calls)
{
    if (rank == 0)
        printf("called %s 0,1,2,3 - %d %ld %d\n", operation, root, bytes, calls);
}

static void exchanged(int to, long bytes)
{
    if (bytes > 0)
        printf("exchanged %d %d %ld 1\n", rank, to, bytes);
}

static void must(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "large_counts: wrong data after %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Rank i gives rank j one number, 10 i + j, and the others get it. */
static void all_to_all(void)
{
    MPI_Count ones[RANKS];
    MPI_Aint starts[RANKS], offsets[RANKS];
    MPI_Datatype types[RANKS];
    MPI_Request request;
    int out[RANKS], in[RANKS];
    for (int i = 0; i < RANKS; i++) {
        ones[i] = 1;
        starts[i] = i;
        offsets[i] = i * sizeof(int);
        types[i] = MPI_INT;
        out[i] = 10 * rank + i;
    }
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < RANKS; i++)
            in[i] = -1;
        if (form == 0)
            Alltoallv_large(out, ones, starts, MPI_INT, in, ones, starts, MPI_INT, MPI_COMM_WORLD);
        if (form == 1) {
            Ialltoallv_large(out, ones, starts, MPI_INT, in, ones, starts, MPI_INT, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (form == 2)
            Alltoallw_large(out, ones, offsets, types, in, ones, offsets, types, MPI_COMM_WORLD);
        for (int i = 0; i < RANKS; i++) {
            must(in[i] == 10 * i + rank, "Alltoall");
            exchanged(i, sizeof(int));
        }
    }
    told("Alltoallv", -1, 2L * RANKS * RANKS * sizeof(int), 2);
    told("Alltoallw", -1, 1L * RANKS * RANKS * sizeof(int), 1);
}

/* Arrays that matter at the root only are bad addresses elsewhere. */
static void rooted(void)
{
    MPI_Count ones[RANKS], *counts = rank == 2 ? ones : (void *)8;
    MPI_Aint offsets[RANKS], *starts = rank == 2 ? offsets : (void *)8;
    int all[RANKS], one = 7 + rank;
    for (int i = 0; i < RANKS; i++)
        ones[i] = 1, offsets[i] = i, all[i] = 0;
    Gatherv_large(&one, 1, MPI_INT, all, counts, starts, MPI_INT, 2, MPI_COMM_WORLD);
    for (int i = 0; rank == 2 && i < RANKS; i++)
        must(all[i] == 7 + i, "Gatherv");
    exchanged(2, sizeof(int));
    one = 0;
    Scatterv_large(all, counts, starts, MPI_INT, &one, 1, MPI_INT, 2, MPI_COMM_WORLD);
    must(one == 7 + rank, "Scatterv");
    for (int i = 0; rank == 2 && i < RANKS; i++)
        exchanged(i, sizeof(int));
    Bcast_large(all, RANKS, MPI_INT, 2, MPI_COMM_WORLD);
    must(all[3] == 10, "Bcast");
    told("Gatherv", 2, RANKS * sizeof(int), 1);
    told("Scatterv", 2, RANKS * sizeof(int), 1);
    told("Bcast", 2, RANKS * sizeof(int), 1);
}

static void together(void)
{
    MPI_Count ones[RANKS];
    MPI_Aint starts[RANKS];
    int all[RANKS], sum;
    for (int i = 0; i < RANKS; i++)
        ones[i] = 1, starts[i] = i;
    Allgatherv_large(&rank, 1, MPI_INT, all, ones, starts, MPI_INT, MPI_COMM_WORLD);
    must(all[3] == 3, "Allgatherv");
    Reduce_scatter_large(all, &sum, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    must(sum == RANKS * rank, "Reduce_scatter");
    told("Allgatherv", -1, RANKS * sizeof(int), 1);
    told("Reduce_scatter", -1, RANKS * sizeof(int), 1);
}

/* On a ring, to both sides. */
static void neighbours(void)
{
    int extent = RANKS, period = 1, out[2] = {rank, rank}, in[2] = {-1, -1};
    MPI_Count ones[] = {1, 1};
    MPI_Aint starts[] = {0, 1};
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &period, 0, &ring);
    Neighbor_alltoallv_large(out, ones, starts, MPI_INT, in, ones, starts, MPI_INT, ring);
    must(in[0] == (rank + RANKS - 1) % RANKS && in[1] == (rank + 1) % RANKS, "Neighbor_alltoallv");
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (Bcast_large) {
        all_to_all();
        rooted();
        together();
        neighbours();
    }
    MPI_Finalize();
    return 0;
}
