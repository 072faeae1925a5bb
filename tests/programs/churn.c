/* churn: communicators made, used once and freed, a great many of them.
 *
 *     churn [COMMUNICATORS=1000000]
 *
 * Each is a duplicate of MPI_COMM_SELF that carries one message of 8 bytes. Prints by how many KiB
 * the largest resident size grew after the first tenth as a line "grew KIB", and what was sent as a
 * line "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

static void use(int communicators)
{
    for (int i = 0; i < communicators; i++) {
        MPI_Comm comm;
        long out = i, in;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Sendrecv(&out, 8, MPI_BYTE, 0, 0, &in, 8, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
}

static long largest(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    int rank, communicators = argument(argc, argv, 1, 1000000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use(communicators / 10);
    long before = largest();
    use(communicators - communicators / 10);
    printf("grew %ld\nsent %d %d %lld %d\n", largest() - before, rank, rank, 8LL * communicators, communicators);
    MPI_Finalize();
    return 0;
}
