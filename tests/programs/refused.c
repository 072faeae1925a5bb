/* refused: calls with handles and arrays that are not valid, which MPI refuses or accepts.
 *
 *     refused handles|arrays|missing
 *
 * Each call runs in a process of its own. A line "NAME CLASS HANDLERS" tells the error class that
 * the call returned and how often error handlers ran during the call; "NAME died" tells that the
 * call ended the process. Nothing is sent.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int handlers;

static void count_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handlers++;
}

static void count_window(MPI_Win *window, int *code, ...)
{
    (void)window, (void)code;
    handlers++;
}

static void tell(const char *name, int code)
{
    int class = 0;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    printf("%s %d %d\n", name, class, handlers);
    fflush(stdout);
    handlers = 0;
}

static MPI_Comm comm;
static MPI_Win window;
static int number = 1, other, ranks, rank;

/* A call that MPI refuses for `comm` runs the error handler of `comm`, once, and not the handler of
 * the world. */
static void handles(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    tell("send_nothing_of_no_type", MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm));
    tell("send_no_type", MPI_Send(&number, 1, MPI_DATATYPE_NULL, rank, 0, comm));
    tell("isend_no_type", MPI_Isend(&number, 1, MPI_DATATYPE_NULL, rank, 0, comm, &request));
    tell("send_init_no_type", MPI_Send_init(&number, 1, MPI_DATATYPE_NULL, rank, 0, comm, &request));
    tell("bcast_no_type", MPI_Bcast(&number, 1, MPI_DATATYPE_NULL, 0, comm));
    tell("gather_no_type", MPI_Gather(&number, 1, MPI_DATATYPE_NULL, &other, 1, MPI_DATATYPE_NULL, 0, comm));
    tell("put_no_type", MPI_Put(&number, 1, MPI_DATATYPE_NULL, rank, 0, 1, MPI_DATATYPE_NULL, window));
    tell("send_no_comm", MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    tell("bcast_no_comm", MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_NULL));
    tell("put_no_window", MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL));
    tell("send_no_rank", MPI_Send(&number, 1, MPI_INT, ranks + 7, 0, comm));
    tell("send_no_tag", MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, -99, comm));
}

static void arrays(const char *which)
{
    int *zeros = calloc(ranks, sizeof *zeros), code = 0;
    if (strcmp(which, "allgatherv") == 0)
        code = MPI_Allgatherv(&number, 1, MPI_INT, &other, NULL, NULL, MPI_INT, comm);
    else if (strcmp(which, "alltoallv") == 0)
        code = MPI_Alltoallv(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT, comm);
    else if (strcmp(which, "alltoallw") == 0)
        code = MPI_Alltoallw(NULL, zeros, zeros, NULL, NULL, zeros, zeros, NULL, comm);
    else if (strcmp(which, "reduce_scatter") == 0)
        code = MPI_Reduce_scatter(&number, &other, NULL, MPI_INT, MPI_SUM, comm);
    else if (strcmp(which, "scatterv") == 0)
        code = MPI_Scatterv(&number, NULL, NULL, MPI_INT, &other, 1, MPI_INT, 0, comm);
    else if (strcmp(which, "gatherv") == 0)
        code = MPI_Gatherv(&number, 1, MPI_INT, &other, NULL, NULL, MPI_INT, 0, comm);
    tell(which, code);
}

/* Functions that an older MPI does not have: found or not, a call that fails runs the handler
 * once. */
static void missing(void)
{
    typedef int Function(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                         MPI_Request *);
    Function *isendrecv = (Function *)dlsym(RTLD_DEFAULT, "MPI_Isendrecv");
    MPI_Request request;
    int got = 0, code = 0;
    if (!isendrecv)
        return;
    code = isendrecv(&number, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    if (code == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("isendrecv %s\n", code == 0 ? got == 1 && handlers == 0 ? "fine" : "wrong" : handlers == 1 ? "refused" : "silent");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Errhandler handler, of_windows;
    void *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(count_comm, &handler);
    MPI_Win_create_errhandler(count_window, &of_windows);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Win_allocate(sizeof other, 1, MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_set_errhandler(window, of_windows);
    if (strcmp(what, "missing") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
        missing();
    } else if (strcmp(what, "handles") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
        handles();
    } else
        arrays(what);
    MPI_Win_free(&window);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
