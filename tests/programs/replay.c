/* replay: exchanges the messages of a matrix, all at once, with its ranks placed in several ways.
 *
 *     replay MATRIX ROUNDS ITERATIONS PLACEMENT...
 *
 * MATRIX is a Matrix Market file of bytes. Line r of the file PLACEMENT names the process that
 * plays rank r. Every round tries each placement once, so that noise hits all placements alike. For
 * each try the number of the placement is printed, and the mean seconds from the begin of an
 * exchange until the last process has received all its messages.
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>

struct message {
    int from, to, bytes;
};

static void bad(const char *path)
{
    fprintf(stderr, "replay: cannot read %s\n", path);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static struct message *read_matrix(const char *path, int *count, int *largest)
{
    FILE *file = fopen(path, "r");
    int rows, columns;
    if (!file || fscanf(file, "%*[^\n] %d %d %d", &rows, &columns, count) != 3)
        bad(path);
    struct message *messages = malloc(sizeof *messages * (size_t)*count);
    for (int m = 0; m < *count; m++) {
        struct message *it = &messages[m];
        if (fscanf(file, "%d %d %d", &it->from, &it->to, &it->bytes) != 3)
            bad(path);
        it->from--, it->to--;
        if (it->bytes > *largest)
            *largest = it->bytes;
    }
    fclose(file);
    return messages;
}

static int *read_placement(const char *path, int ranks)
{
    FILE *file = fopen(path, "r");
    int *process = malloc(sizeof *process * (size_t)ranks);
    for (int rank = 0; rank < ranks; rank++)
        if (!file || fscanf(file, "%d", &process[rank]) != 1)
            bad(path);
    fclose(file);
    return process;
}

/* One exchange of the process `me`; `incoming` has room for every message. */
static void exchange(const struct message *messages, int count, int largest, const int *process, int me,
                     const char *outgoing, char *incoming, MPI_Request *requests)
{
    int open = 0;
    for (int m = 0; m < count; m++)
        if (process[messages[m].to] == me)
            MPI_Irecv(incoming + (size_t)m * largest, messages[m].bytes, MPI_BYTE, process[messages[m].from], 0,
                      MPI_COMM_WORLD, &requests[open++]);
    for (int m = 0; m < count; m++)
        if (process[messages[m].from] == me)
            MPI_Isend(outgoing, messages[m].bytes, MPI_BYTE, process[messages[m].to], 0, MPI_COMM_WORLD,
                      &requests[open++]);
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int me, ranks, count, largest = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    struct message *messages = read_matrix(argv[1], &count, &largest);
    int rounds = argument(argc, argv, 2, 1), iterations = argument(argc, argv, 3, 1), first = 4;
    int **process = malloc(sizeof *process * (size_t)argc);
    for (int k = first; k < argc; k++)
        process[k] = read_placement(argv[k], ranks);
    char *outgoing = calloc(1, largest), *incoming = malloc((size_t)count * largest);
    MPI_Request *requests = malloc(sizeof *requests * 2 * (size_t)count);

    /* Round 0 opens the connections. */
    for (int round = 0; round <= rounds; round++)
        for (int k = first; k < argc; k++) {
            double sum = 0;
            for (int it = 0; it < iterations; it++) {
                double last;
                MPI_Barrier(MPI_COMM_WORLD);
                double spent = MPI_Wtime();
                exchange(messages, count, largest, process[k], me, outgoing, incoming, requests);
                spent = MPI_Wtime() - spent;
                MPI_Reduce(&spent, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
                sum += last;
            }
            if (me == 0 && round > 0)
                printf("%d %.6f\n", k - first, sum / iterations);
        }
    for (int k = first; k < argc; k++)
        free(process[k]);
    free(process);
    free(messages);
    free(outgoing);
    free(incoming);
    free(requests);
    MPI_Finalize();
    return 0;
}
