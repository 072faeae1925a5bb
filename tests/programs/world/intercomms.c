/* Intercommunicators made of another one between the two halves of the ranks: one without both
 * ranks 0, and one with the ranks of each half in reverse. Collectives on them end. Prints for each
 * rank the rank at its place in the other half, and whether errors return. */
#include "world.h"

static void collectives(MPI_Comm between)
{
    int own, size, there, rank, all[64], sum = 0, parts[64], part = 0, theirs = 0;
    MPI_Request request;
    MPI_Comm_rank(between, &own);
    MPI_Comm_remote_size(between, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, own, 5, &there, 1, MPI_INT, own, 5, between, MPI_STATUS_IGNORE);
    MPI_Barrier(between);
    MPI_Ibarrier(between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, between);
    CHECK(all[own] == there);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between);
    for (int i = 0; i < size; i++)
        theirs += all[i];
    CHECK(sum == theirs);
    for (int i = 0; i < size; i++)
        parts[i] = i;
    MPI_Reduce_scatter_block(parts, &part, 1, MPI_INT, MPI_SUM, between);
    CHECK(part == own * size);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(between, &handler);
    printf("%d %d %d\n", rank, there, handler == MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    int rank, size, own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half, between, some, reversed;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 7, &between);

    MPI_Group all, others;
    const int first = 0;
    MPI_Comm_group(between, &all);
    MPI_Group_excl(all, 1, &first, &others);
    MPI_Comm_create(between, others, &some);
    CHECK((some == MPI_COMM_NULL) == (own == 0));
    if (own != 0)
        collectives(some);

    MPI_Comm_split(between, 0, -own, &reversed);
    collectives(reversed);
    MPI_Finalize();
    return 0;
}
