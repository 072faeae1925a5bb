/* Four threads a rank send round the ring at once, each with its tag. */
#include "world.h"
#include <pthread.h>

enum { ROUNDS = 50 };

static void *around(void *tag)
{
    int rank, size, got;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, (int)(size_t)tag, &got, 1, MPI_INT, (rank + size - 1) % size, (int)(size_t)tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(got == (rank + size - 1) % size);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t threads[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided == MPI_THREAD_MULTIPLE) {
        for (size_t i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, around, (void *)i);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    fputs("threads done\n", stdout);
    MPI_Finalize();
    return 0;
}
