/* files: collective input and output on a file seen in stripes, beside one message of known size.
 *
 *     files [BLOCK=1024]
 *
 * The blocks of the file belong to the ranks in turn. A library that gathers blocks before it
 * writes sends messages between the ranks: messages of the library. The program itself calls
 * MPI_Bcast and MPI_Barrier once. Every rank prints what it sent itself as a line "sent SOURCE
 * DESTINATION BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 16 };

/* A file of this run alone, the same on every rank. */
static void name_file(char *name, size_t room, int rank)
{
    if (rank == 0)
        snprintf(name, room, "/tmp/rankfold-files-%ld", (long)getpid());
    MPI_Bcast(name, (int)room, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void exchange_with_file(const char *name, int rank, int ranks, char *data, int block)
{
    MPI_File file;
    MPI_Datatype stripes;
    MPI_Request request;
    MPI_Offset position;
    MPI_Type_vector(BLOCKS, block, block * ranks, MPI_BYTE, &stripes);
    MPI_Type_commit(&stripes);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, (MPI_Offset)rank * block, MPI_BYTE, stripes, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, BLOCKS * block, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, 0, data, BLOCKS * block, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 0, data, BLOCKS * block, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, 0, data, BLOCKS * block, MPI_BYTE);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at_all(file, 0, data, BLOCKS * block, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at_all(file, 0, data, BLOCKS * block, MPI_BYTE, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    MPI_File_set_atomicity(file, 1);
    MPI_File_set_info(file, MPI_INFO_NULL);
    MPI_File_get_position_shared(file, &position);
    MPI_File_close(&file);
    MPI_Type_free(&stripes);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    char name[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int block = argument(argc, argv, 1, 1024), next = (rank + 1) % ranks;
    char *data = calloc(BLOCKS, block), *read = calloc(BLOCKS, block);
    memset(data, 'a' + rank, (size_t)BLOCKS * block);
    name_file(name, sizeof name, rank);
    exchange_with_file(name, rank, ranks, data, block);
    int whole = data[0] == 'a' + rank && data[BLOCKS * block - 1] == 'a' + rank;
    MPI_Sendrecv(data, block, MPI_BYTE, next, 0, read, block, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (whole)
        printf("sent %d %d %d 1\n", rank, next, block);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    free(data);
    free(read);
    MPI_Finalize();
    return 0;
}
