/* large_pages: plays a system with pages of 64 KiB to the profiler alone. To be preloaded.
 *
 * Tells librankfold.so that pages have 64 KiB, and refuses to map a journal at an offset that is no
 * multiple of 64 KiB. A mapping begins at a multiple of 64 KiB.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE = 1 << 16 };

long sysconf(int name)
{
    static long (*next)(int);
    Dl_info caller;
    if (name == _SC_PAGESIZE && dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "librankfold"))
        return LARGE;
    if (!next)
        next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return next(name);
}

static int is_journal(int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = file < 0 ? -1 : readlink(link, path, sizeof path);
    return length > 4 && memcmp(path + length - 4, ".rfj", 4) == 0;
}

void *mmap(void *start, size_t length, int access, int flags, int file, off_t offset)
{
    if (!(flags & MAP_SHARED) || !is_journal(file))
        return (void *)syscall(SYS_mmap, start, length, access, flags, file, offset);
    if (offset % LARGE || length % LARGE) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    char *room = (char *)syscall(SYS_mmap, NULL, length + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return room;
    room += -(unsigned long)room % LARGE;
    return (void *)syscall(SYS_mmap, room, length, access, flags | MAP_FIXED, file, offset);
}

void *mmap64(void *start, size_t length, int access, int flags, int file, off_t offset)
{
    return mmap(start, length, access, flags, file, offset);
}
