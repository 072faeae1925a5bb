/* Shared by the programs of this directory: a check that prints where it failed and ends with
 * status 1, and the number that the launcher gave this process. */
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
