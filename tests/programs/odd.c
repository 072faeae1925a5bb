/* odd: what programs do with MPI, beside messages of known size.
 *
 *     odd HOW [NUMBER]
 *
 * Each rank sends 50 messages of 1000 bytes to the next one, does what HOW says, and sends as many
 * again. HOW is
 *   threads      NUMBER threads (300 without it), one after the other, that send one message of 8
 *                bytes to the next rank; prints the journal's mappings as "mappings N"
 *   steps        enters NUMBER phases (400 without it), in each of which it sends one message of 8
 *                bytes
 *   requests     makes NUMBER persistent sends (50000 without it) and frees them; prints the
 *                seconds as "freed S"
 *   paused       makes a persistent send of 8 bytes while counting is paused, and starts it three
 *                times afterwards
 *   callback     a callback that sends 8 bytes when a communicator is freed
 *   unmatched    rank 0 begins a broadcast that nobody else takes part in, and never ends it
 *   memory       enters a phase in which there is no memory left, and sends seven messages of 8
 *                bytes to the next rank
 *   killed       rank 1 is killed, and the others go on without it; "ends" is printed when
 *                MPI_Finalize has returned
 *   aborted      the same by MPI_Abort on a communicator that is rank 1's alone
 *   walltime     prints "pid PID" and waits to be killed
 *   late         rank NUMBER (1 without it) comes to MPI_Finalize four seconds after the others
 * Every rank prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#include "arguments.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, next, previous;

static void send(MPI_Comm comm, int bytes, int messages)
{
    static char outgoing[1000], incoming[1000];
    for (int i = 0; i < messages; i++) {
        MPI_Request receive;
        MPI_Irecv(incoming, bytes, MPI_BYTE, previous, 0, comm, &receive);
        MPI_Send(outgoing, bytes, MPI_BYTE, next, 0, comm);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
}

static void tell(int bytes, int messages)
{
    printf("sent %d %d %d %d\n", rank, next, messages * bytes, messages);
}

static void *send_in_thread(void *unused)
{
    send(MPI_COMM_WORLD, 8, 1);
    return unused;
}

static void in_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, send_in_thread, NULL) == 0)
        pthread_join(thread, NULL);
    else
        send_in_thread(NULL);
}

static void start_threads(int number)
{
    char line[4096];
    int mappings = 0;
    for (int i = 0; i < number; i++)
        in_thread();
    tell(8, number);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        mappings += strstr(line, ".rfj") != NULL;
    fclose(maps);
    printf("mappings %d\n", mappings);
}

static void enter_phases(int number)
{
    for (int i = 0; i < number; i++) {
        MPI_Pcontrol(3 + i);
        send(MPI_COMM_WORLD, 8, 1);
    }
    MPI_Pcontrol(-1);
    tell(8, number);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void free_requests(int number)
{
    MPI_Request *requests = calloc(number, sizeof *requests);
    char byte = 0;
    double start = now();
    for (int i = 0; i < number; i++)
        MPI_Send_init(&byte, 1, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < number; i++)
        MPI_Request_free(&requests[i]);
    printf("freed %.2f\n", now() - start);
    free(requests);
}

static void start_what_was_made_in_a_pause(void)
{
    char outgoing[8] = "", incoming[8];
    MPI_Request requests[2];
    MPI_Pcontrol(0);
    MPI_Send_init(outgoing, 8, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(incoming, 8, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Pcontrol(1);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    tell(8, 3);
}

static int send_when_freed(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    send(MPI_COMM_WORLD, 8, 1);
    return MPI_SUCCESS;
}

static void send_in_callback(void)
{
    MPI_Comm comm;
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, send_when_freed, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
    tell(8, 1);
}

/* No mapping can be made any more; what the allocator has can be had. */
static void send_without_memory(void)
{
    struct rlimit before, now;
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (fscanf(sizes, "%ld", &pages) != 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    fclose(sizes);
    getrlimit(RLIMIT_AS, &before);
    now = before;
    now.rlim_cur = pages * sysconf(_SC_PAGESIZE);
    setrlimit(RLIMIT_AS, &now);
    MPI_Pcontrol(3);
    send(MPI_COMM_WORLD, 8, 7);
    setrlimit(RLIMIT_AS, &before);
    MPI_Pcontrol(-1);
}

static void go_on_without_rank_1(int abort)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && abort)
        MPI_Abort(MPI_COMM_SELF, 3);
    if (rank == 1)
        kill(getpid(), SIGKILL);
    sleep(1);
    MPI_Finalize();
    printf("ends\n");
    exit(0);
}

static void wait_to_be_killed(void)
{
    printf("pid %d\n", (int)getpid());
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int provided, number = argument(argc, argv, 2, 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    send(MPI_COMM_WORLD, 1000, 50);
    tell(1000, 50);
    if (strcmp(how, "threads") == 0)
        start_threads(number ? number : 300);
    else if (strcmp(how, "steps") == 0)
        enter_phases(number ? number : 400);
    else if (strcmp(how, "requests") == 0)
        free_requests(number ? number : 50000);
    else if (strcmp(how, "paused") == 0)
        start_what_was_made_in_a_pause();
    else if (strcmp(how, "callback") == 0)
        send_in_callback();
    else if (strcmp(how, "memory") == 0)
        send_without_memory();
    else if (strcmp(how, "killed") == 0 || strcmp(how, "aborted") == 0)
        go_on_without_rank_1(strcmp(how, "aborted") == 0);
    else if (strcmp(how, "walltime") == 0)
        wait_to_be_killed();
    send(MPI_COMM_WORLD, 1000, 50);
    tell(1000, 50);
    fflush(stdout);
    static int value;
    static MPI_Request request;
    if (strcmp(how, "unmatched") == 0 && rank == 0)
        MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (strcmp(how, "late") == 0 && rank == (argc > 2 ? number : 1))
        sleep(4);
    MPI_Finalize();
    return 0;
}
