/* die: every rank sends, then one of them ends the job badly.
 *
 *     die HOW [VICTIM=1] [MESSAGES=100] [BYTES=1000]
 *
 * Each rank sends MESSAGES messages of BYTES to the next one; after a barrier the victim dies as
 * HOW says and the others wait for a message that never comes. HOW is sigkill, segv, abort, exit or
 * _exit (without MPI_Finalize, status 3), exec (another program takes the victim's place and ends
 * with status 3), thread (a thread other than the first calls exit) or mpi_abort (status 4).
 */
#include "arguments.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *exit_in_thread(void *unused)
{
    (void)unused;
    exit(3);
}

static void die(const char *how)
{
    if (strcmp(how, "sigkill") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "exit") == 0)
        exit(3);
    else if (strcmp(how, "_exit") == 0)
        _exit(3);
    else if (strcmp(how, "exec") == 0)
        execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
    else if (strcmp(how, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, exit_in_thread, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(how, "mpi_abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
    fprintf(stderr, "die: how to die? %s is unknown\n", how);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *how = argc > 1 ? argv[1] : "";
    int victim = argument(argc, argv, 2, 1);
    int messages = argument(argc, argv, 3, 100), bytes = argument(argc, argv, 4, 1000);

    char *outgoing = calloc(1, bytes), *incoming = calloc(1, bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Request receive;
        MPI_Irecv(incoming, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &receive);
        MPI_Send(outgoing, bytes, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim)
        die(how);
    MPI_Recv(incoming, bytes, MPI_BYTE, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
