/* What communication matrices cost in simulated time, for many placements and several ways of
 * exchanging.
 *
 *     smpirun ... replay CASE
 *
 * CASE is text: the numbers of ranks, messages, placements and tests; for every message sender,
 * receiver, bytes relative to the mean and phase; for every placement the process that plays rank
 * 0, rank 1 ...; for every test the way of exchanging and the mean bytes of a message. Processes
 * stay where the host file puts them, and play another rank in every placement. Prints
 *
 *     load PLACEMENT SECONDS        of the busiest link along the simulator's routes, per byte of
 *                                   the mean message
 *     time PLACEMENT TEST SECONDS   until the last rank has everything
 *
 * Runs without privatisation of variables: the processes share them, and run one at a time. */
#include <math.h>
#include <mpi.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xbt/dynar.h>

#define TAG 1

struct message {
    int from, to, phase;
    double share;
};

/* The messages of one rank in one direction. */
struct list {
    int count, *index;
};

struct test {
    char way[16];
    double mean;
};

static int ranks, messages, placements, tests;
static struct message *message;
static struct list *sends, *receives;
static int *process_of;    /* by placement and rank */
static sg_host_t *host_of; /* by process */
static struct test *test;
static int largest;      /* bytes of the largest message of any test */
static double finished;  /* when the last rank had everything */
static sg_bar_t together; /* costs no simulated time */

static void bad(const char *what)
{
    fprintf(stderr, "replay: %s\n", what);
    exit(2);
}

static void *array(long count, size_t size)
{
    void *found = calloc(count + 1, size);
    if (!found)
        bad("out of memory");
    return found;
}

static void append(struct list *list, int index)
{
    if ((list->count & (list->count - 1)) == 0) {
        list->index = realloc(list->index, sizeof(int) * (list->count ? 2 * list->count : 1));
        if (!list->index)
            bad("out of memory");
    }
    list->index[list->count++] = index;
}

static int bytes(const struct message *m, const struct test *t)
{
    double exact = round(m->share * t->mean);
    return exact < 1 ? 1 : (int)exact;
}

static void read_case(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        bad("cannot open the case");
    if (fscanf(file, "%d %d %d %d", &ranks, &messages, &placements, &tests) != 4)
        bad("the case has no sizes");
    message = array(messages, sizeof *message);
    sends = array(ranks, sizeof *sends);
    receives = array(ranks, sizeof *receives);
    process_of = array((long)placements * ranks, sizeof *process_of);
    host_of = array(ranks, sizeof *host_of);
    test = array(tests, sizeof *test);
    for (int m = 0; m < messages; m++) {
        struct message *it = &message[m];
        if (fscanf(file, "%d %d %lf %d", &it->from, &it->to, &it->share, &it->phase) != 4)
            bad("a message is not four numbers");
        append(&sends[it->from], m);
        append(&receives[it->to], m);
    }
    for (long i = 0; i < (long)placements * ranks; i++)
        if (fscanf(file, "%d", &process_of[i]) != 1)
            bad("a placement is too short");
    for (int t = 0; t < tests; t++) {
        if (fscanf(file, "%15s %lf", test[t].way, &test[t].mean) != 2)
            bad("a test is not a way and a size");
        for (int m = 0; m < messages; m++)
            if (bytes(&message[m], &test[t]) > largest)
                largest = bytes(&message[m], &test[t]);
    }
    fclose(file);
}

/* Seconds the busiest link needs per byte of the mean message, by the simulator's own routes. */
static double busiest(const int *process)
{
    sg_link_t *link = sg_link_list();
    double *load = array(sg_link_count(), sizeof *load), most = 0;
    for (size_t l = 0; l < sg_link_count(); l++)
        sg_link_set_data(link[l], &load[l]);
    for (int m = 0; m < messages; m++) {
        sg_host_t from = host_of[process[message[m].from]], to = host_of[process[message[m].to]];
        if (from == to)
            continue;
        xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), NULL);
        sg_host_get_route(from, to, route);
        for (unsigned hop = 0; hop < xbt_dynar_length(route); hop++) {
            sg_link_t on = xbt_dynar_get_as(route, hop, sg_link_t);
            double *sum = sg_link_get_data(on);
            *sum += message[m].share / sg_link_get_bandwidth(on);
            most = fmax(most, *sum);
        }
        xbt_dynar_free(&route);
    }
    free(load);
    free(link);
    return most;
}

static void post_receives(int rank, const int *process, const struct test *t, char *buffer, MPI_Request *request)
{
    for (int i = 0; i < receives[rank].count; i++) {
        const struct message *m = &message[receives[rank].index[i]];
        MPI_Irecv(buffer, bytes(m, t), MPI_BYTE, process[m->from], TAG, MPI_COMM_WORLD, &request[i]);
    }
}

/* Everything posted at once, then one wait for all. */
static void nonblocking(int rank, const int *process, const struct test *t, char *buffer, MPI_Request *request)
{
    int posted = receives[rank].count;
    post_receives(rank, process, t, buffer, request);
    for (int i = 0; i < sends[rank].count; i++) {
        const struct message *m = &message[sends[rank].index[i]];
        MPI_Isend(buffer, bytes(m, t), MPI_BYTE, process[m->to], TAG, MPI_COMM_WORLD, &request[posted++]);
    }
    MPI_Waitall(posted, request, MPI_STATUSES_IGNORE);
}

/* Receives posted, a blocking send to each partner, then one wait for the receives. */
static void sending(int rank, const int *process, const struct test *t, char *buffer, MPI_Request *request)
{
    post_receives(rank, process, t, buffer, request);
    for (int i = 0; i < sends[rank].count; i++) {
        const struct message *m = &message[sends[rank].index[i]];
        MPI_Send(buffer, bytes(m, t), MPI_BYTE, process[m->to], TAG, MPI_COMM_WORLD);
    }
    MPI_Waitall(receives[rank].count, request, MPI_STATUSES_IGNORE);
}

/* The message of a phase, of which a rank has one a direction at most. */
static const struct message *in_phase(const struct list *list, int phase)
{
    for (int i = 0; i < list->count; i++)
        if (message[list->index[i]].phase == phase)
            return &message[list->index[i]];
    return NULL;
}

static int last_phase(const struct list *list)
{
    int last = -1;
    for (int i = 0; i < list->count; i++)
        if (message[list->index[i]].phase > last)
            last = message[list->index[i]].phase;
    return last;
}

/* A blocking exchange with one partner after the other. */
static void pairwise(int rank, const int *process, const struct test *t, char *buffer)
{
    int last = last_phase(&sends[rank]), last_in = last_phase(&receives[rank]);
    for (int phase = 0; phase <= last || phase <= last_in; phase++) {
        const struct message *out = in_phase(&sends[rank], phase), *in = in_phase(&receives[rank], phase);
        MPI_Sendrecv(buffer, out ? bytes(out, t) : 0, MPI_BYTE, out ? process[out->to] : MPI_PROC_NULL, TAG, buffer,
                     in ? bytes(in, t) : 0, MPI_BYTE, in ? process[in->from] : MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void run(int rank, const int *process, const struct test *t, char *buffer, MPI_Request *request)
{
    if (strcmp(t->way, "nb") == 0)
        nonblocking(rank, process, t, buffer, request);
    else if (strcmp(t->way, "es") == 0)
        sending(rank, process, t, buffer, request);
    else if (strcmp(t->way, "ph") == 0)
        pairwise(rank, process, t, buffer);
    else
        bad("a way of exchanging is none of nb, es and ph");
}

int main(int argc, char **argv)
{
    int me, processes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (me == 0) {
        if (argc != 2)
            bad("name one case");
        read_case(argv[1]);
        if (processes != ranks)
            bad("the case has another number of ranks");
        together = sg_barrier_init(ranks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    host_of[me] = sg_host_self();
    sg_barrier_wait(together);
    /* Shared pages: the simulator does not copy what lies there. */
    char *buffer = SMPI_SHARED_MALLOC(largest + 1);
    MPI_Request *request = array(2L * ranks, sizeof *request);
    for (int k = 0; k < placements; k++) {
        const int *process = &process_of[(long)k * ranks];
        int rank = 0;
        while (process[rank] != me)
            rank++;
        if (me == 0)
            printf("load %d %.9g\n", k, busiest(process));
        for (int t = 0; t < tests; t++) {
            if (me == 0)
                finished = 0;
            sg_barrier_wait(together);
            double began = simgrid_get_clock();
            run(rank, process, &test[t], buffer, request);
            finished = fmax(finished, simgrid_get_clock());
            sg_barrier_wait(together);
            if (me == 0)
                printf("time %d %d %.9g\n", k, t, finished - began);
        }
    }
    free(request);
    SMPI_SHARED_FREE(buffer);
    MPI_Finalize();
    return 0;
}
