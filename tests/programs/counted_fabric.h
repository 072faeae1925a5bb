/* Counts what Intel MPI sends through libfabric.
 *
 * Intel MPI looks libfabric's functions up with dlvsym and sends through tables of functions that
 * hang on endpoints, endpoints on domains, domains on fabrics. A function dlvsym of the program
 * (link with -rdynamic) hands out another fi_fabric. From there on, each table on the way is
 * replaced by a copy with functions of this file, which call the original ones.
 *
 * The program defines `count_fabric`, which is called for every message with the address of the
 * receiver.
 *
 * The types have the layout of libfabric's ABI 1 (rdma/fabric.h and the headers beside it). Only
 * what is used here has a name.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

static void count_fabric(uint64_t address, size_t bytes);

struct object {
    size_t class;
    void *context, *functions;
};

/* Tables of functions begin with their size in bytes. */
struct table {
    size_t size;
    void *functions[];
};

/* Fabrics and domains. */
struct opener {
    struct object object;
    struct table *table;
};

struct endpoint {
    struct object object;
    struct table *endpoint, *connection, *messages, *memory, *tagged;
};

struct message {
    const struct iovec *parts;
    void **descriptors;
    size_t count;
    uint64_t address;
};

/* Places of functions in tables. */
enum { DOMAIN = 0, ENDPOINT = 2, SEND = 3, SENDV, SENDMSG, INJECT, SENDDATA, INJECTDATA };

/* The tables of the provider. A process has one provider, whose endpoints share tables. */
static struct table *fabric_table, *domain_table, *message_table, *tagged_table;

/* A copy of a table, to be changed. */
static struct table *copy(const struct table *table)
{
    struct table *own = malloc(table->size);
    memcpy(own, table, table->size);
    return own;
}

static size_t length(const struct iovec *parts, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    return bytes;
}

typedef struct endpoint *E;

/* A function of a table with the result `ssize_t`. */
#define ORIGINAL(table, place, ...) ((ssize_t(*)(__VA_ARGS__))(table)->functions[place])

static ssize_t counted(ssize_t result, uint64_t address, size_t bytes)
{
    if (result == 0)
        count_fabric(address, bytes);
    return result;
}

static ssize_t tagged_send(E e, const void *from, size_t bytes, void *d, uint64_t to, uint64_t tag, void *context)
{
    return counted(ORIGINAL(tagged_table, SEND, E, const void *, size_t, void *, uint64_t, uint64_t, void *)(
                       e, from, bytes, d, to, tag, context), to, bytes);
}

static ssize_t tagged_sendv(E e, const struct iovec *parts, void **d, size_t count, uint64_t to, uint64_t tag, void *context)
{
    return counted(ORIGINAL(tagged_table, SENDV, E, const struct iovec *, void **, size_t, uint64_t, uint64_t, void *)(
                       e, parts, d, count, to, tag, context), to, length(parts, count));
}

static ssize_t tagged_sendmsg(E e, const struct message *message, uint64_t flags)
{
    return counted(ORIGINAL(tagged_table, SENDMSG, E, const struct message *, uint64_t)(e, message, flags),
                   message->address, length(message->parts, message->count));
}

static ssize_t tagged_inject(E e, const void *from, size_t bytes, uint64_t to, uint64_t tag)
{
    return counted(ORIGINAL(tagged_table, INJECT, E, const void *, size_t, uint64_t, uint64_t)(e, from, bytes, to, tag),
                   to, bytes);
}

static ssize_t tagged_senddata(E e, const void *from, size_t bytes, void *d, uint64_t data, uint64_t to, uint64_t tag, void *context)
{
    return counted(ORIGINAL(tagged_table, SENDDATA, E, const void *, size_t, void *, uint64_t, uint64_t, uint64_t, void *)(
                       e, from, bytes, d, data, to, tag, context), to, bytes);
}

static ssize_t tagged_injectdata(E e, const void *from, size_t bytes, uint64_t data, uint64_t to, uint64_t tag)
{
    return counted(ORIGINAL(tagged_table, INJECTDATA, E, const void *, size_t, uint64_t, uint64_t, uint64_t)(
                       e, from, bytes, data, to, tag), to, bytes);
}

static ssize_t message_send(E e, const void *from, size_t bytes, void *d, uint64_t to, void *context)
{
    return counted(ORIGINAL(message_table, SEND, E, const void *, size_t, void *, uint64_t, void *)(
                       e, from, bytes, d, to, context), to, bytes);
}

static ssize_t message_sendv(E e, const struct iovec *parts, void **d, size_t count, uint64_t to, void *context)
{
    return counted(ORIGINAL(message_table, SENDV, E, const struct iovec *, void **, size_t, uint64_t, void *)(
                       e, parts, d, count, to, context), to, length(parts, count));
}

static ssize_t message_sendmsg(E e, const struct message *message, uint64_t flags)
{
    return counted(ORIGINAL(message_table, SENDMSG, E, const struct message *, uint64_t)(e, message, flags),
                   message->address, length(message->parts, message->count));
}

static ssize_t message_inject(E e, const void *from, size_t bytes, uint64_t to)
{
    return counted(ORIGINAL(message_table, INJECT, E, const void *, size_t, uint64_t)(e, from, bytes, to), to, bytes);
}

static void replace(struct table **table, struct table **original, void *const functions[])
{
    if (*table == NULL)
        return;
    *original = *table;
    *table = copy(*original);
    for (int place = SEND; place <= INJECTDATA; place++)
        if (functions[place - SEND] != NULL)
            (*table)->functions[place] = functions[place - SEND];
}

static int open_endpoint(struct opener *domain, void *info, struct endpoint **endpoint, void *context)
{
    static void *const tagged[] = {tagged_send, tagged_sendv, tagged_sendmsg, tagged_inject, tagged_senddata, tagged_injectdata};
    static void *const messages[] = {message_send, message_sendv, message_sendmsg, message_inject, NULL, NULL};
    int (*original)(struct opener *, void *, struct endpoint **, void *) = domain_table->functions[ENDPOINT];
    int result = original(domain, info, endpoint, context);
    if (result == 0) {
        replace(&(*endpoint)->tagged, &tagged_table, tagged);
        replace(&(*endpoint)->messages, &message_table, messages);
    }
    return result;
}

static int open_domain(struct opener *fabric, void *info, struct opener **domain, void *context)
{
    int (*original)(struct opener *, void *, struct opener **, void *) = fabric_table->functions[DOMAIN];
    int result = original(fabric, info, domain, context);
    if (result == 0) {
        domain_table = (*domain)->table;
        (*domain)->table = copy(domain_table);
        (*domain)->table->functions[ENDPOINT] = open_endpoint;
    }
    return result;
}

static int (*original_fabric)(void *, struct opener **, void *);

static int open_fabric(void *attributes, struct opener **fabric, void *context)
{
    int result = original_fabric(attributes, fabric, context);
    if (result == 0) {
        fabric_table = (*fabric)->table;
        (*fabric)->table = copy(fabric_table);
        (*fabric)->table->functions[DOMAIN] = open_domain;
    }
    return result;
}

void *dlvsym(void *handle, const char *name, const char *version)
{
    static void *(*original)(void *, const char *, const char *);
    if (original == NULL)
        original = (void *(*)(void *, const char *, const char *))dlsym(RTLD_NEXT, "dlvsym");
    void *found = original(handle, name, version);
    if (found == NULL || strcmp(name, "fi_fabric") != 0)
        return found;
    original_fabric = (int (*)(void *, struct opener **, void *))found;
    return open_fabric;
}
