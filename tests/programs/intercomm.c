/* intercomm: messages between the two sides of intercommunicators, whose ranks are those of the
 * other side.
 *
 *     intercomm [BYTES=1000]
 *
 * One intercommunicator has sides of equal size, the other has rank 0 alone on one side. Every rank
 * prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

/* World ranks below `border` on one side, the others on the other; a message to the rank of the
 * same number on the other side, where there is one. */
static void across(int border, int bytes, char *outgoing, char *incoming)
{
    int world, rank, remote;
    MPI_Comm half, bridge;
    MPI_Request requests[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    int upper = world >= border;
    MPI_Comm_split(MPI_COMM_WORLD, upper, world, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : border, 3, &bridge);
    MPI_Comm_rank(bridge, &rank);
    MPI_Comm_remote_size(bridge, &remote);
    int partner = rank < remote ? rank : MPI_PROC_NULL;
    MPI_Irecv(incoming, bytes, MPI_BYTE, partner, 2, bridge, &requests[0]);
    MPI_Isend(outgoing, bytes, MPI_BYTE, partner, 2, bridge, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (partner != MPI_PROC_NULL)
        printf("sent %d %d %d 1\n", world, upper ? partner : border + partner, bytes);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 1000);
    char *outgoing = calloc(2, bytes), *incoming = calloc(2, bytes);
    across(ranks / 2, bytes, outgoing, incoming);
    across(1, 2 * bytes, outgoing, incoming);
    free(outgoing);
    free(incoming);
    MPI_Finalize();
    return 0;
}
