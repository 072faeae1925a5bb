/* What every program of this directory needs: a check that says where it failed and ends with status 1, and how the launcher numbers the processes. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(fact)                                                              \
    do {                                                                         \
        if (!(fact)) {                                                           \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #fact);   \
            fflush(stderr);                                                      \
            _Exit(1);                                                            \
        }                                                                        \
    } while (0)

/* The launcher's number of this process, which it has in its environment. */
static inline int launched_as(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
    for (int i = 0; names[i]; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}
