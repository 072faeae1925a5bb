/* What programs for `stub_mpi` use of MPI, with MPICH's constants. */
#ifndef STUB_MPI_H
#define STUB_MPI_H

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Request;

#define MPI_COMM_NULL 0x04000000
#define MPI_COMM_WORLD 0x44000000
#define MPI_BYTE 0x4c00010d
#define MPI_DOUBLE 0x4c00080b

/* How many ranks of communicators the profiler has asked the world's ranks of. */
long stub_translated_ranks(void);

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *new);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *new);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, void *status);
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, void *status);

/* Extensions of MPICH: messages on streams and in the queues of devices, each with a form for large
 * counts. */
#define STREAM_FUNCTIONS(Count, suffix) \
    int MPIX_Stream_send##suffix(const void *, Count, MPI_Datatype, int dest, int tag, MPI_Comm, int from, int to); \
    int MPIX_Stream_isend##suffix(const void *, Count, MPI_Datatype, int dest, int tag, MPI_Comm, int from, int to, MPI_Request *); \
    int MPIX_Send_enqueue##suffix(const void *, Count, MPI_Datatype, int dest, int tag, MPI_Comm); \
    int MPIX_Isend_enqueue##suffix(const void *, Count, MPI_Datatype, int dest, int tag, MPI_Comm, MPI_Request *); \
    int MPIX_Allreduce_enqueue##suffix(const void *, void *, Count, MPI_Datatype, int operation, MPI_Comm);

STREAM_FUNCTIONS(int, )
STREAM_FUNCTIONS(long, _c)

#endif
