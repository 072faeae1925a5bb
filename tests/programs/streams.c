/* streams: MPICH's messages on streams and in queues, in front of an MPI that does nothing
 * (`stub_mpi`).
 *
 * Sends to ranks 1 to 8, to each by another function and twice as many bytes as to the one before,
 * beginning with one byte; then reduces one byte over all ranks and two bytes in the form for large
 * counts.
 */
#include "stub_mpi.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    char buffer[256] = "", into[256];
    int rank = 0, bytes = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
#define SEND(name, ...) \
    rank++; \
    MPIX_##name(buffer, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD __VA_ARGS__); \
    bytes *= 2
    SEND(Stream_send, , 0, 0);
    SEND(Stream_isend, , 0, 0, &request);
    SEND(Send_enqueue);
    SEND(Isend_enqueue, , &request);
    SEND(Stream_send_c, , 0, 0);
    SEND(Stream_isend_c, , 0, 0, &request);
    SEND(Send_enqueue_c);
    SEND(Isend_enqueue_c, , &request);
    MPIX_Allreduce_enqueue(buffer, into, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPIX_Allreduce_enqueue_c(buffer, into, 2, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
