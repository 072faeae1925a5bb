/* huge: messages of more than 2^31 bytes, by a large datatype and, where MPI has it, by a large
 * count.
 *
 *     huge
 *
 * Rank 0 sends to rank 1. Both sides use 64 MiB of memory mapped again and again. Rank 0 prints
 * what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const long piece = 64L << 20, pieces = 33;

static char *repeated_memory(void)
{
    int file = memfd_create("huge", 0);
    char *start = mmap(NULL, piece * pieces, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file < 0 || ftruncate(file, piece) != 0 || start == MAP_FAILED)
        abort();
    for (long i = 0; i < pieces; i++)
        if (mmap(start + i * piece, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            abort();
    return start;
}

static void by_datatype(int rank, char *memory)
{
    MPI_Datatype large;
    MPI_Type_contiguous(1 << 20, MPI_BYTE, &large);
    MPI_Type_commit(&large);
    int count = (int)(piece * pieces >> 20);
    if (rank == 0) {
        MPI_Send(memory, count, large, 1, 0, MPI_COMM_WORLD);
        printf("sent 0 1 %ld 1\n", (long)count << 20);
    } else if (rank == 1)
        MPI_Recv(memory, count, large, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&large);
}

#if MPI_VERSION >= 4
static void by_count(int rank, char *memory)
{
    MPI_Count count = (MPI_Count)1 << 31;
    if (rank == 0) {
        MPI_Send_c(memory, count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        printf("sent 0 1 %lld 1\n", (long long)count);
    } else if (rank == 1)
        MPI_Recv_c(memory, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#endif

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = repeated_memory();
    by_datatype(rank, memory);
#if MPI_VERSION >= 4
    by_count(rank, memory);
#endif
    MPI_Finalize();
    return 0;
}
