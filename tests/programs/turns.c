/* turns: ranks exchange messages in turns, in the orders that programs are known to do it.
 *
 *     turns PATTERN GRID [BYTES=100000[,BYTES...]] [ROUNDS=10]
 *
 * GRID is 4x4 or 2x2x4, the first dimension slowest, and open at its ends if it ends with "o".
 * Along dimension d a message has the d-th number of bytes, or the last one. Prints the seconds of
 * a round, as the slowest rank measures them.
 *
 *     all            a halo, everything posted at once
 *     dimensions     a halo, one dimension after the other (CloverLeaf, LAMMPS)
 *     shift          a halo, MPI_Sendrecv to one side, then to the other (CoMD)
 *     persistent     as dimensions, by persistent requests
 *     posted         as dimensions, all receives posted before
 *     blocking       as dimensions, with blocking sends
 *     rows           partners in the own row at distances 1, 2, 4, then the transposed rank (CG)
 *     stages         everyone in the own row, then everyone in the own column (FFT)
 *     sweep          a front from the first corner to the last, in blocking calls (SNAP)
 *     graph          four partners, chosen at random once, one after the other
 *     differing      as dimensions, in an order that differs from round to round
 */
#include "arguments.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 512, DIMENSIONS = 3 };

static int rank, ranks, dims, size[DIMENSIONS], at[DIMENSIONS], is_open, bytes[DIMENSIONS];
static char *buffer;
static MPI_Request requests[MOST];
static int under_way;

/* The rank at a distance along a dimension; MPI_PROC_NULL beyond the ends of an open grid. */
static int beside(int d, int distance)
{
    int place = at[d] + distance, stride = 1;
    if (is_open && (place < 0 || place >= size[d]))
        return MPI_PROC_NULL;
    for (int i = d + 1; i < dims; i++)
        stride *= size[i];
    return rank + ((place % size[d] + size[d]) % size[d] - at[d]) * stride;
}

/* Messages to the two sides of a dimension differ in their tags: both sides may be one rank. */
static void post(int from, int length, int tag)
{
    MPI_Irecv(buffer, length, MPI_BYTE, from, tag, MPI_COMM_WORLD, &requests[under_way++]);
}

static void start(int to, int length, int tag)
{
    MPI_Isend(buffer, length, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests[under_way++]);
}

static void wait_all(void)
{
    MPI_Waitall(under_way, requests, MPI_STATUSES_IGNORE);
    under_way = 0;
}

static void post_both(int d)
{
    post(beside(d, 1), bytes[d], 0);
    post(beside(d, -1), bytes[d], 1);
}

static void start_both(int d)
{
    start(beside(d, -1), bytes[d], 0);
    start(beside(d, 1), bytes[d], 1);
}

static void all(int round)
{
    for (int d = 0; d < dims; d++)
        post_both(d);
    for (int d = 0; d < dims; d++)
        start_both(d);
    wait_all();
}

static void dimensions(int round)
{
    for (int d = 0; d < dims; d++) {
        post_both(d);
        start_both(d);
        wait_all();
    }
}

static void shift(int round)
{
    static char *into;
    into = into ? into : malloc(bytes[0] + bytes[1] + bytes[2]);
    for (int d = 0; d < dims; d++)
        for (int side = -1; side <= 1; side += 2)
            MPI_Sendrecv(buffer, bytes[d], MPI_BYTE, beside(d, side), 0, into, bytes[d], MPI_BYTE, beside(d, -side), 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(int round)
{
    static MPI_Request made[DIMENSIONS][4];
    for (int d = 0; d < dims; d++) {
        for (int side = 0; side < 2 && round == 0; side++) {
            int to = beside(d, 2 * side - 1), from = beside(d, 1 - 2 * side);
            MPI_Recv_init(buffer, bytes[d], MPI_BYTE, from, side, MPI_COMM_WORLD, &made[d][side]);
            MPI_Send_init(buffer, bytes[d], MPI_BYTE, to, side, MPI_COMM_WORLD, &made[d][2 + side]);
        }
        MPI_Startall(4, made[d]);
        MPI_Waitall(4, made[d], MPI_STATUSES_IGNORE);
    }
}

static void posted(int round)
{
    MPI_Request receives[2 * DIMENSIONS];
    for (int d = 0; d < dims; d++)
        post_both(d);
    memcpy(receives, requests, sizeof receives);
    under_way = 0;
    for (int d = 0; d < dims; d++) {
        start_both(d);
        MPI_Wait(&receives[2 * d], MPI_STATUS_IGNORE);
        MPI_Wait(&receives[2 * d + 1], MPI_STATUS_IGNORE);
        wait_all();
    }
}

static void blocking(int round)
{
    for (int d = 0; d < dims; d++) {
        post_both(d);
        MPI_Send(buffer, bytes[d], MPI_BYTE, beside(d, -1), 0, MPI_COMM_WORLD);
        MPI_Send(buffer, bytes[d], MPI_BYTE, beside(d, 1), 1, MPI_COMM_WORLD);
        wait_all();
    }
}

static void meet(int partner, int length)
{
    post(partner, length, 0);
    start(partner, length, 0);
    wait_all();
}

static void rows(int round)
{
    int row = rank / size[dims - 1], column = at[dims - 1], transposed = column * size[dims - 1] + row;
    for (int distance = 1; distance < size[dims - 1]; distance *= 2)
        meet(row * size[dims - 1] + (column ^ distance), bytes[0]);
    if (transposed != rank && transposed < ranks)
        meet(transposed, bytes[1]);
}

static void stages(int round)
{
    for (int d = dims - 1; d >= 0; d--) {
        for (int i = 1; i < size[d]; i++)
            post(beside(d, -i), bytes[d], i);
        for (int i = 1; i < size[d]; i++)
            start(beside(d, i), bytes[d], i);
        wait_all();
    }
}

static void sweep(int round)
{
    for (int d = 0; d < dims; d++)
        MPI_Recv(buffer, bytes[d], MPI_BYTE, beside(d, -1), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int d = 0; d < dims; d++)
        MPI_Send(buffer, bytes[d], MPI_BYTE, beside(d, 1), 0, MPI_COMM_WORLD);
}

/* Each turn pairs all ranks at random. The numbers are those of a linear congruence, so that all
 * ranks draw the same ones. */
static void graph(int round)
{
    unsigned state = 7;
    for (int turn = 0; turn < 4; turn++) {
        int order[MOST];
        for (int i = 0; i < ranks; i++)
            order[i] = i;
        for (int i = ranks - 1; i > 0; i--) {
            state = state * 1103515245 + 12345;
            int other = (state >> 16) % (i + 1), kept = order[i];
            order[i] = order[other], order[other] = kept;
        }
        for (int i = 0; i + 1 < ranks; i += 2)
            if (order[i] == rank || order[i + 1] == rank)
                meet(order[i] == rank ? order[i + 1] : order[i], bytes[0]);
    }
}

static void differing(int round)
{
    static unsigned state = 1;
    state = state * 1103515245 + 12345;
    for (int i = 0; i < dims; i++) {
        int d = state >> 16 & 1 ? dims - 1 - i : i;
        post_both(d);
        start_both(d);
        wait_all();
    }
}

static const struct {
    const char *name;
    void (*round)(int round);
} patterns[] = {
    {"all", all},           {"dimensions", dimensions}, {"shift", shift}, {"persistent", persistent},
    {"posted", posted},     {"blocking", blocking},     {"rows", rows},   {"stages", stages},
    {"sweep", sweep},       {"graph", graph},           {"differing", differing},
};

/* Reads the grid and the bytes; returns whether both make sense. */
static int read_sizes(const char *grid, const char *lengths)
{
    int product = 1, rest;
    char end = 0;
    dims = sscanf(grid, "%dx%dx%d", &size[0], &size[1], &size[2]);
    is_open = grid[strlen(grid) - 1] == 'o';
    for (int d = 0; d < dims; d++)
        product *= size[d];
    for (int d = dims - 1, left = rank; d >= 0; left /= size[d], d--)
        at[d] = left % size[d];
    rest = sscanf(lengths, "%d,%d,%d%c", &bytes[0], &bytes[1], &bytes[2], &end);
    for (int d = rest; d > 0 && d < DIMENSIONS; d++)
        bytes[d] = bytes[d - 1];
    return dims > 1 && rest > 0 && end == 0 && product == ranks && ranks <= MOST;
}

int main(int argc, char **argv)
{
    double seconds, slowest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = argument(argc, argv, 4, 10), number = 0, known = sizeof patterns / sizeof *patterns;
    while (argc > 1 && number < known && strcmp(argv[1], patterns[number].name) != 0)
        number++;
    if (argc < 3 || number == known || !read_sizes(argv[2], argc > 3 ? argv[3] : "100000")) {
        fprintf(stderr, "usage: turns PATTERN GRID [BYTES,...] [ROUNDS]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    buffer = calloc(3, bytes[0] + bytes[1] + bytes[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    for (int round = 0; round < rounds; round++)
        patterns[number].round(round);
    seconds = (MPI_Wtime() - seconds) / rounds;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9g\n", slowest);
    MPI_Finalize();
    return 0;
}
