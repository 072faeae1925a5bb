/* failing: a library that makes one call of the system's functions fail, or ends the process there.
 *
 * FAILING_CALL    open, mkdir, rename, mmap, ftruncate, write, thread or spawn
 * FAILING_AT      the how many-th call of this function in a process fails, from 1 on
 * FAILING_WITH    the error number; 0 kills the process instead
 * FAILING_IN      only calls from objects whose file name begins so count
 * FAILING_MARK    a file that is made when a call fails
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int calls;

static int fails(const char *call, void *caller)
{
    const char *wanted = getenv("FAILING_CALL"), *inside = getenv("FAILING_IN");
    Dl_info object;
    if (!wanted || !inside || strcmp(wanted, call) != 0 || !dladdr(caller, &object))
        return 0;
    const char *name = strrchr(object.dli_fname, '/');
    name = name ? name + 1 : object.dli_fname;
    if (strncmp(name, inside, strlen(inside)) != 0 || ++calls != atoi(getenv("FAILING_AT")))
        return 0;
    int mark = syscall(SYS_openat, AT_FDCWD, getenv("FAILING_MARK"), O_CREAT | O_WRONLY, 0600);
    syscall(SYS_close, mark);
    errno = atoi(getenv("FAILING_WITH"));
    if (errno == 0)
        syscall(SYS_kill, getpid(), SIGKILL);
    return 1;
}

#define FAILS(call) fails(call, __builtin_return_address(0))
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                    \
    int name(const char *path, int flags, ...)        \
    {                                                 \
        va_list rest;                                 \
        va_start(rest, flags);                        \
        mode_t mode = mode_of(flags, rest);           \
        va_end(rest);                                 \
        if (FAILS("open"))                            \
            return -1;                                \
        return NEXT(name)(path, flags, mode);         \
    }

OPEN(open)
OPEN(open64)

#define OPENAT(name)                                          \
    int name(int at, const char *path, int flags, ...)        \
    {                                                         \
        va_list rest;                                         \
        va_start(rest, flags);                                \
        mode_t mode = mode_of(flags, rest);                   \
        va_end(rest);                                         \
        if (FAILS("open"))                                    \
            return -1;                                        \
        return NEXT(name)(at, path, flags, mode);             \
    }

OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode) { return FAILS("mkdir") ? -1 : NEXT(mkdir)(path, mode); }

int rename(const char *from, const char *to)
{
    return FAILS("rename") ? -1 : NEXT(rename)(from, to);
}

#define MMAP(name, offset_type)                                                              \
    void *name(void *at, size_t length, int access, int flags, int file, offset_type offset) \
    {                                                                                        \
        if (FAILS("mmap"))                                                                   \
            return MAP_FAILED;                                                               \
        return NEXT(name)(at, length, access, flags, file, offset);                          \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

int ftruncate(int file, off_t length)
{
    return FAILS("ftruncate") ? -1 : NEXT(ftruncate)(file, length);
}

int ftruncate64(int file, off64_t length)
{
    return FAILS("ftruncate") ? -1 : NEXT(ftruncate64)(file, length);
}

ssize_t write(int file, const void *bytes, size_t number)
{
    return FAILS("write") ? -1 : NEXT(write)(file, bytes, number);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *with)
{
    return FAILS("thread") ? errno : NEXT(pthread_create)(thread, how, body, with);
}

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *files,
                 const posix_spawnattr_t *how, char *const arguments[], char *const environment[])
{
    if (FAILS("spawn"))
        return errno;
    return NEXT(posix_spawnp)(child, file, files, how, arguments, environment);
}
