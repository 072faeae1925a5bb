/* Stands in for NCCL: loads a plugin of its profiler interface and replays recorded events through
 * the table of one version, as NCCL of that version calls it.
 *
 *   nccl_replay PLUGIN VERSION FILE...          one thread for each file, after the first file
 *   nccl_replay PLUGIN VERSION --time EVENTS    nanoseconds of a processor for each event
 *
 * Lines of a file, with numbers of the file's own choice for communicators C, operations O and
 * steps S:
 *
 *   init C ID NODES RANKS RANK         call C FUNCTION COUNT TYPE ROOT
 *   send C FUNCTION COUNT TYPE PEER    op O C RANK PEER IS_SEND OWN
 *   step S O                           moved S BYTES
 *   stop S                             done O
 *   end C                              kill
 *   null                               odd C
 *   truncate                           (the journal of this process)
 *
 * OWN is 0 for a proxy that works for another process. `odd` sends an event of an unknown type.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, COLL = 2, P2P = 4, PROXY_OP = 8, PROXY_STEP = 16 };

/* The descriptor of an event, without its union. Versions 1 to 4 have a type of one byte. */
struct head {
    union {
        uint8_t byte;
        uint64_t word;
    } type;
    void *parent;
    int rank;
};

/* Members of the union, by the versions that have them. */
struct coll_1 {
    const char *name;
    uint64_t id, sequence;
    uint8_t func;
    const void *from;
    void *to;
    size_t count;
    int root;
    uint8_t type;
    uint32_t op;
    size_t traffic;
    uint8_t channels, warps, algorithm, protocol;
    int is_collnet, is_nvls;
};
struct coll_2 {
    const char *name;
    uint64_t id, sequence;
    const char *func;
    const void *from;
    void *to;
    size_t count;
    int root;
    const char *type;
};
struct coll_4 {
    uint64_t sequence;
    const char *func;
    const void *from;
    void *to;
    size_t count;
    int root;
    const char *type;
};
struct p2p_1 {
    const char *name;
    uint64_t id;
    uint8_t func;
    void *buffer;
    uint8_t type;
    size_t count;
    int peer;
};
struct p2p_2 {
    const char *name;
    uint64_t id;
    const char *func;
    void *buffer;
    const char *type;
    size_t count;
    int peer;
};
struct p2p_4 {
    const char *func;
    void *buffer;
    const char *type;
    size_t count;
    int peer;
};
struct proxy_op {
    pid_t pid;
    uint8_t channel;
    int peer, steps, chunk, is_send;
};

struct event {
    struct head head;
    union {
        struct coll_1 coll_1;
        struct coll_2 coll_2;
        struct coll_4 coll_4;
        struct p2p_1 p2p_1;
        struct p2p_2 p2p_2;
        struct p2p_4 p2p_4;
        struct proxy_op op;
        int step;
        char room[256];
    } of;
};

struct sum {
    size_t bytes;
    int steps;
};

typedef void logger(void);
struct table {
    const char *name;
    union {
        int (*plain)(void **, int *);
        int (*named)(void **, int *, const char *, uint64_t, int, int, int, logger *);
        int (*numbered)(void **, uint64_t, int *, const char *, int, int, int, logger *);
    } init;
    int (*start)(void *, void **, struct event *);
    int (*stop)(void *);
    int (*record)(void *, int, void *);
    int (*finalize)(void *);
};

static struct table *table;
static int version, mask;

struct op {
    void *handle;
    size_t sum;
    bool sends;
};
struct step {
    void *handle;
    int op;
};

/* Communicators are made by the first file and used by all. */
static void *contexts[MOST];
static uint64_t ids[MOST];
static int ranks[MOST];

static void must(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "nccl_replay: %s\n", what);
        _exit(3);
    }
}

static int number_of(const char *text, const char *const *names, int many) {
    for (int i = 0; i < many; i++)
        if (names[i] && strcmp(names[i], text) == 0) return i;
    return 200;
}

static const char *const FUNCTIONS[] = {"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce", NULL, "Send", "Recv"};
static const char *const TYPES[] = {"ncclInt8",  "ncclUint8",   "ncclInt32",   "ncclUint32",  "ncclInt64",
                                    "ncclUint64", "ncclFloat16", "ncclFloat32", "ncclFloat64", "ncclBfloat16"};

static struct event begun(uint64_t type, void *parent, int rank) {
    struct event event;
    memset(&event, 0xa5, sizeof event);
    if (version < 5) event.head.type.byte = (uint8_t)type;
    else event.head.type.word = type;
    event.head.parent = parent;
    event.head.rank = rank;
    return event;
}

static void init(int c, uint64_t id, int nodes, int size, int rank) {
    ids[c] = id;
    ranks[c] = rank;
    int code;
    if (version < 4) code = table->init.plain(&contexts[c], &mask);
    else if (version == 4) code = table->init.named(&contexts[c], &mask, "a name", id, nodes, size, rank, NULL);
    else code = table->init.numbered(&contexts[c], id, &mask, NULL, nodes, size, rank, NULL);
    must(code == 0, "init failed");
}

static void call(int c, const char *func, size_t count, const char *type, int root) {
    struct event event = begun(COLL, NULL, ranks[c]);
    if (version == 1) {
        struct coll_1 *of = &event.of.coll_1;
        of->id = ids[c], of->count = count, of->root = root;
        of->func = (uint8_t)number_of(func, FUNCTIONS, 8), of->type = (uint8_t)number_of(type, TYPES, 10);
    } else if (version < 4) {
        struct coll_2 *of = &event.of.coll_2;
        of->id = ids[c], of->count = count, of->root = root, of->func = func, of->type = type;
    } else {
        struct coll_4 *of = &event.of.coll_4;
        of->count = count, of->root = root, of->func = func, of->type = type;
    }
    void *handle = &event;
    must(table->start(contexts[c], &handle, &event) == 0, "start failed");
    if (handle) table->stop(handle);
}

static void message(int c, const char *func, size_t count, const char *type, int peer) {
    struct event event = begun(P2P, NULL, ranks[c]);
    if (version == 1) {
        struct p2p_1 *of = &event.of.p2p_1;
        of->id = ids[c], of->count = count, of->peer = peer;
        of->func = (uint8_t)number_of(func, FUNCTIONS, 8), of->type = (uint8_t)number_of(type, TYPES, 10);
    } else if (version < 4) {
        struct p2p_2 *of = &event.of.p2p_2;
        of->id = ids[c], of->count = count, of->peer = peer, of->func = func, of->type = type;
    } else {
        struct p2p_4 *of = &event.of.p2p_4;
        of->count = count, of->peer = peer, of->func = func, of->type = type;
    }
    void *handle = &event;
    must(table->start(contexts[c], &handle, &event) == 0, "start failed");
    if (handle) table->stop(handle);
}

static void operate(struct op *op, int c, int rank, int peer, bool sends, bool own) {
    struct event event = begun(PROXY_OP, NULL, rank);
    event.of.op = (struct proxy_op){own ? getpid() : getpid() + 1, 0, peer, 8, 1 << 20, sends};
    *op = (struct op){NULL, 0, sends};
    /* The context of another process has other bits where the plugin marks its own. */
    void *context = own ? contexts[c] : (void *)((uintptr_t)contexts[c] ^ 0x5a5a000000000000u);
    must(table->start(context, &op->handle, &event) == 0, "start failed");
}

/* From version 4 on, steps have handles. Versions before tell sums over the operation, and tell
 * them more than once. */
static void begin_step(struct step *step, int o, struct op *op) {
    *step = (struct step){NULL, o};
    if (version < 4 || !op->handle) return;
    struct event event = begun(PROXY_STEP, op->handle, 0);
    event.of.step = 0;
    must(table->start(contexts[0], &step->handle, &event) == 0, "start failed");
    size_t stale = 77777;
    if (step->handle) table->record(step->handle, op->sends ? 8 : 10, &stale);
}

static void moved(struct step *step, struct op *op, size_t bytes) {
    if (version >= 4) {
        size_t stale = 77777;
        if (step->handle && op->sends) table->record(step->handle, 20, &stale);
        if (step->handle) table->record(step->handle, op->sends ? 9 : 11, &bytes);
        return;
    }
    if (!op->handle) return;
    struct sum sum = {__atomic_add_fetch(&op->sum, bytes, __ATOMIC_RELAXED), 1};
    int first = op->sends ? 0 : 4;
    table->record(op->handle, first + (op->sends ? 2 : 1), &sum);
    table->record(op->handle, first + 3, &sum);
}

static void truncate_journal(void) {
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (!found && maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/'), *end = strstr(line, ".rfj\n");
        if (path && end) {
            end[4] = '\0';
            found = truncate(path, 0) == 0;
        }
    }
    must(found, "no journal to truncate");
}

static void *replay(void *path) {
    struct op *ops = calloc(MOST, sizeof *ops);
    struct step *steps = calloc(MOST, sizeof *steps);
    FILE *file = fopen(path, "r");
    must(file && ops && steps, "no such file");
    char line[256], func[64], type[64];
    while (fgets(line, sizeof line, file)) {
        int a, b, c, d, e;
        unsigned long long id, count;
        if (sscanf(line, "init %d %llx %d %d %d", &a, &id, &b, &c, &d) == 5) init(a, id, b, c, d);
        else if (sscanf(line, "call %d %63s %llu %63s %d", &a, func, &count, type, &b) == 5) call(a, func, count, type, b);
        else if (sscanf(line, "send %d %63s %llu %63s %d", &a, func, &count, type, &b) == 5) message(a, func, count, type, b);
        else if (sscanf(line, "op %d %d %d %d %d %d", &a, &b, &c, &d, &e, &(int){0}) >= 5) {
            int own = 1;
            sscanf(line, "op %*d %*d %*d %*d %*d %d", &own);
            operate(&ops[a], b, c, d, e, own);
        } else if (sscanf(line, "step %d %d", &a, &b) == 2) begin_step(&steps[a], b, &ops[b]);
        else if (sscanf(line, "moved %d %llu", &a, &count) == 2) moved(&steps[a], &ops[steps[a].op], count);
        else if (sscanf(line, "stop %d", &a) == 1) {
            if (steps[a].handle) table->stop(steps[a].handle);
        } else if (sscanf(line, "done %d", &a) == 1) {
            if (ops[a].handle) table->stop(ops[a].handle);
        } else if (sscanf(line, "end %d", &a) == 1) table->finalize(contexts[a]);
        else if (strncmp(line, "kill", 4) == 0) raise(SIGKILL);
        else if (strncmp(line, "truncate", 8) == 0) truncate_journal();
        else if (sscanf(line, "odd %d", &a) == 1) {
            struct event event = begun(1 << 7, NULL, 0);
            void *handle = &event;
            must(table->start(contexts[a], &handle, &event) == 0 && !handle, "an unknown type has a handle");
        } else if (strncmp(line, "null", 4) == 0) {
            void *handle = NULL;
            struct event event = begun(COLL, NULL, 0);
            memset(&event.of, 0, sizeof event.of);
            if (version == 1) event.of.coll_1.func = 200;
            must(table->start(NULL, &handle, &event) == 0, "a null context");
            must(table->start(contexts[0], NULL, &event) == 0, "a null handle");
            must(table->start(contexts[0], &handle, NULL) == 0, "a null descriptor");
            must(table->start(contexts[0], &handle, &event) == 0, "null texts");
            must(table->stop(NULL) == 0 && table->record(NULL, 9, NULL) == 0, "null handles");
            must(table->stop(&event) == 0 && table->record(&event, 9, &(size_t){1}) == 0, "foreign handles");
            must(table->finalize(NULL) == 0, "a null context at the end");
            if (version < 4) must(table->init.plain(NULL, NULL) == 0, "null init");
        } else must(false, line);
    }
    fclose(file);
    free(ops);
    free(steps);
    return NULL;
}

/* Processor time of this thread: what others do on the machine does not count. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Collectives with eight channels, each sending eight steps and receiving eight, as NCCL does.
 * Every call of the plugin is one event. */
static void measure(long events) {
    init(0, 0xfeed, 2, 16, 3);
    double start = seconds();
    long done = 0;
    while (done < events) {
        call(0, "AllReduce", 1 << 20, "ncclFloat32", 0);
        done += 1;
        for (int channel = 0; channel < 16; channel++) {
            struct op op;
            operate(&op, 0, 3, (channel & 1) ? 4 : 2, channel & 1, true);
            done += 2;
            for (int s = 0; s < 8; s++) {
                struct step step;
                begin_step(&step, 0, &op);
                moved(&step, &op, 1 << 17);
                if (step.handle) table->stop(step.handle);
                done += version < 4 ? 2 : op.sends ? 5 : 4;
            }
            if (op.handle) table->stop(op.handle);
        }
    }
    printf("%.2f\n", (seconds() - start) * 1e9 / done);
    table->finalize(contexts[0]);
}

int main(int argc, char **argv) {
    must(argc >= 4, "nccl_replay PLUGIN VERSION FILE...");
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    must(plugin, "the plugin does not load");
    version = atoi(argv[2]);
    char name[32];
    snprintf(name, sizeof name, "ncclProfiler_v%d", version);
    table = dlsym(plugin, name);
    must(table && table->name, "the plugin has no such version");
    if (strcmp(argv[3], "--time") == 0) {
        must(argc == 5, "--time EVENTS");
        measure(atol(argv[4]));
        return 0;
    }
    replay(argv[3]);
    pthread_t threads[MOST];
    for (int i = 4; i < argc; i++) must(pthread_create(&threads[i], NULL, replay, argv[i]) == 0, "no thread");
    for (int i = 4; i < argc; i++) pthread_join(threads[i], NULL);
    /* NCCL unloads a plugin with its last communicator, and may load it again. */
    dlclose(plugin);
    return 0;
}
