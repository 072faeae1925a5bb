/* Every rank prints its seat: `seat RANK HOST PLACE CPUS POLICY DEVICES`. PLACE is the number that
 * the launcher gives the process on its host. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE = 4096 };

static const char *variable(const char *const *names)
{
    for (; *names; names++)
        if (getenv(*names)) return getenv(*names);
    return "-";
}

/* The processors as a list of numbers with commas. */
static void processors(char *text, size_t room)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    size_t end = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && end < room; cpu++)
        if (CPU_ISSET(cpu, &set)) end += snprintf(text + end, room - end, end ? ",%d" : "%d", cpu);
}

int main(int argc, char **argv)
{
    static const char *const places[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID", NULL};
    static const char *const devices[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", NULL};
    char line[LINE], host[256] = "", cpus[2048] = "";
    int rank, size, policy = -1;
    unsigned long nodes[16] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gethostname(host, sizeof host - 1);
    processors(cpus, sizeof cpus);
    syscall(SYS_get_mempolicy, &policy, nodes, 8 * sizeof nodes, 0, 0);
    snprintf(line, LINE, "seat %d %s %s %s %d:%lx %s", rank, host, variable(places), cpus, policy, nodes[0],
             variable(devices));
    char *all = rank ? NULL : malloc((size_t)LINE * size);
    MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int from = 0; !rank && from < size; from++) puts(all + (size_t)LINE * from);
    free(all);
    MPI_Finalize();
    return 0;
}
