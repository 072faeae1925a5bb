/* Preloaded into launchers and programs, shows them a node with more processors than there are.
 * Masks of processors are kept in files, one a process, and children inherit their parents' masks.
 * Launchers read the rest of the node from HWLOC_XMLFILE, with HWLOC_THISSYSTEM=1.
 *
 *   WIDE_NODE_CPUS   number of processors
 *   WIDE_NODE_DIR    directory of the files
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GENERATIONS = 64 };

static int processors(void)
{
    const char *number = getenv("WIDE_NODE_CPUS");
    return number ? atoi(number) : 1;
}

static int file_of(pid_t process, int flags)
{
    const char *directory = getenv("WIDE_NODE_DIR");
    char path[512];
    snprintf(path, sizeof path, "%s/%d", directory ? directory : "/tmp", (int)process);
    return open(path, flags, 0644);
}

/* The number behind a name in /proc/PROCESS/status; 0 if there is none. */
static pid_t in_status(pid_t process, const char *name)
{
    char path[64], text[2048];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    int file = open(path, O_RDONLY);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *found = strstr(text, name);
    return found ? atoi(found + strlen(name)) : 0;
}

/* Threads have the mask of their process. */
static pid_t process_of(pid_t thread)
{
    if (thread == 0) return getpid();
    pid_t process = in_status(thread, "Tgid:");
    return process ? process : thread;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *wanted)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    memcpy(&set, wanted, size < sizeof set ? size : sizeof set);
    for (int cpu = processors(); cpu < CPU_SETSIZE; cpu++) CPU_CLR(cpu, &set);
    if (CPU_COUNT(&set) == 0) {
        errno = EINVAL;
        return -1;
    }
    int file = file_of(process_of(thread), O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0) return -1;
    ssize_t written = write(file, &set, sizeof set);
    close(file);
    return written == sizeof set ? 0 : -1;
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *out)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int cpu = 0; cpu < processors(); cpu++) CPU_SET(cpu, &set);
    pid_t process = process_of(thread);
    for (int generation = 0; process > 1 && generation < GENERATIONS; generation++) {
        int file = file_of(process, O_RDONLY);
        if (file >= 0) {
            ssize_t length = read(file, &set, sizeof set);
            close(file);
            if (length == sizeof set) break;
        }
        process = in_status(process, "PPid:");
    }
    memset(out, 0, size);
    memcpy(out, &set, size < sizeof set ? size : sizeof set);
    return 0;
}
