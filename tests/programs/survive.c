/* survive: what programs do beside MPI, in the middle of traffic of known size.
 *
 *     survive HOW [MESSAGES=50] [BYTES=1000]
 *
 * Each rank sends MESSAGES messages of BYTES to the next one, does what HOW says, and sends as many
 * again. HOW is
 *   none      nothing
 *   fork      two children that end by exit and by _exit
 *   system    commands by system() and popen()
 *   exec      children that execute other programs, with and without the environment
 *   reexec    the program replaces itself by itself before MPI_Init
 *   fill      blocks SIGBUS, which would end the program, fills the file system of the directory
 *             RANKFOLD_JOURNALS names, and sends from another thread
 *   truncate  truncates the profiler's journal
 *   fault     handles the SIGBUS of a truncated file that the program has mapped itself, then does
 *             as truncate
 *   limit     sets a limit of 64 KiB on the size of files, then sends from twenty threads that all
 *             stay
 *   nofiles   lets no file grow any more, then sends in many phases
 *   filter    has the system kill the program at fallocate, pwrite64 and madvise, then sends in
 *             many phases
 *   user      becomes another user, then sends in many phases
 *   close     closes every descriptor of a journal by mistake, and opens a file of its own; sends
 *             in many phases and prints "intact" if the file is after MPI_Finalize as it was
 *             written
 *   mute      closes standard error and opens a file of its own, which gets that number; truncates
 *             the profiler's journal, of which the profiler warns; prints "intact" if the file is
 *             empty after MPI_Finalize
 *   spawn     MPI_Comm_spawn of one process, which gets a message and sends one
 *   environment  clears the environment
 * Every rank prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
 */
#define _GNU_SOURCE
#include "arguments.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks, messages, bytes;

static void exchange(void)
{
    char *outgoing = calloc(1, bytes), *incoming = calloc(1, bytes);
    for (int i = 0; i < messages; i++) {
        MPI_Request receive;
        MPI_Irecv(incoming, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &receive);
        MPI_Send(outgoing, bytes, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    free(outgoing);
    free(incoming);
    printf("sent %d %d %d %d\n", rank, (rank + 1) % ranks, messages * bytes, messages);
    /* A child must not print it again. */
    fflush(stdout);
}

static void *exchange_in_thread(void *unused)
{
    exchange();
    return unused;
}

static void exchange_elsewhere(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exchange_in_thread, NULL);
    pthread_join(thread, NULL);
}

/* Threads that send one after the other, and end only when all have: tables of ended threads would
 * be used again. */
enum { THREADS = 20 };
static pthread_barrier_t all_have_sent;
static sem_t has_sent;

static void *exchange_and_stay(void *unused)
{
    exchange();
    sem_post(&has_sent);
    pthread_barrier_wait(&all_have_sent);
    return unused;
}

static void exchange_in_many(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_have_sent, NULL, THREADS);
    sem_init(&has_sent, 0, 0);
    for (int thread = 0; thread < THREADS; thread++) {
        pthread_create(&threads[thread], NULL, exchange_and_stay, NULL);
        sem_wait(&has_sent);
    }
    for (int thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], NULL);
}

/* The profiler begins a new table in every phase. */
static void exchange_in_phases(void)
{
    for (int phase = 3; phase < 43; phase++) {
        MPI_Pcontrol(phase);
        exchange();
    }
    MPI_Pcontrol(-1);
}

static void check(int fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "survive: %s failed\n", what);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
}

static void wait_for(pid_t child)
{
    int status;
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child");
}

static void fork_children(void)
{
    pid_t child = fork();
    if (child == 0)
        exit(0);
    wait_for(child);
    child = fork();
    if (child == 0)
        _exit(0);
    wait_for(child);
}

static void run_commands(void)
{
    check(system("exec true") == 0, "system");
    FILE *pipe = popen("echo spoken", "r");
    char word[16] = "";
    check(pipe && fgets(word, sizeof word, pipe) && strcmp(word, "spoken\n") == 0 && pclose(pipe) == 0, "popen");
}

static void execute_children(void)
{
    char *words[] = {"sh", "-c", "exit 0", NULL}, *nothing[] = {NULL};
    pid_t child = fork();
    if (child == 0) {
        execv("/bin/sh", words);
        _exit(1);
    }
    wait_for(child);
    child = fork();
    if (child == 0) {
        execve("/bin/sh", words, nothing);
        _exit(1);
    }
    wait_for(child);
}

static void end_by_fault(int signal)
{
    _exit(100 + signal);
}

static void fill_journals(void)
{
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGBUS);
    signal(SIGBUS, end_by_fault);
    sigprocmask(SIG_BLOCK, &faults, NULL);
    char name[4096], block[4096] = {0};
    snprintf(name, sizeof name, "%s/filler-%d", getenv("RANKFOLD_JOURNALS"), rank);
    int file = open(name, O_CREAT | O_WRONLY, 0600);
    check(file >= 0, "open");
    long written = 0;
    for (ssize_t some; (some = write(file, block, sizeof block)) > 0;)
        written += some;
    check(written < 1 << 20, "filling a small file system");
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange_elsewhere();
    unlink(name);
}

static sigjmp_buf back;

static void leave_fault(int signal)
{
    siglongjmp(back, signal);
}

static void truncate_own_file(void)
{
    char name[] = "/tmp/survive-XXXXXX";
    int file = mkstemp(name);
    check(file >= 0 && unlink(name) == 0 && ftruncate(file, 4096) == 0, "a file");
    volatile char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check(memory != MAP_FAILED && ftruncate(file, 0) == 0, "truncating it");
    if (sigsetjmp(back, 1) == 0) {
        memory[0] = 1;
        check(0, "a fault of the program's own");
    }
    close(file);
}

static void truncate_journal(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (!found && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/'), *end = strstr(line, ".rfj\n");
        if (path && end) {
            end[4] = '\0';
            found = truncate(path, 0) == 0;
        }
    }
    fclose(maps);
    check(found, "truncating the journal");
}

static int is_journal(int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 4 && memcmp(path + length - 4, ".rfj", 4) == 0;
}

enum { OWN_BYTES = 8192 };
static int own_file, own_length;
static char own_name[] = "/tmp/survive-XXXXXX", own_bytes[OWN_BYTES];

static void close_journal(void)
{
    for (int file = 3; file < 1024; file++)
        if (is_journal(file))
            close(file);
    own_file = mkstemp(own_name);
    memset(own_bytes, 'x', OWN_BYTES);
    own_length = OWN_BYTES;
    check(own_file >= 0 && write(own_file, own_bytes, own_length) == own_length, "a file");
    exchange_in_phases();
}

static void take_standard_error(void)
{
    close(2);
    own_file = mkstemp(own_name);
    check(own_file == 2, "a file");
    truncate_journal();
}

static void look_at_own_file(void)
{
    static char bytes[2 * OWN_BYTES];
    int intact = pread(own_file, bytes, sizeof bytes, 0) == own_length && memcmp(bytes, own_bytes, own_length) == 0;
    unlink(own_name);
    printf("%s\n", intact ? "intact" : "damaged");
}

static void let_no_file_grow(void)
{
    struct rlimit limit = {0, 0};
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
    exchange_in_phases();
}

static void filter_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "a filter");
    exchange_in_phases();
}

static void become_another_user(void)
{
    check(setuid(65534) == 0, "setuid");
    exchange_in_phases();
}

static void limit_files(void)
{
    /* MPI libraries need files of their own, of 32 KiB for instance. */
    struct rlimit limit = {1 << 16, 1 << 16};
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
    exchange_in_many();
}

/* The child, alone in its world, echoes one number. */
static void spawn_child(char *program)
{
    MPI_Comm child;
    char *words[] = {"child", NULL};
    int number = 7;
    MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    if (rank == 0) {
        MPI_Send(&number, 1, MPI_INT, 0, 0, child);
        MPI_Recv(&number, 1, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
        check(number == 8, "the spawned child");
    }
    MPI_Comm_disconnect(&child);
}

static void be_child(void)
{
    MPI_Comm parent;
    int number;
    MPI_Comm_get_parent(&parent);
    MPI_Recv(&number, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
    number++;
    MPI_Send(&number, 1, MPI_INT, 0, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "none";
    if (strcmp(how, "reexec") == 0 && !getenv("SURVIVE_AGAIN")) {
        setenv("SURVIVE_AGAIN", "1", 1);
        execv(argv[0], argv);
    }
    if (strcmp(how, "fault") == 0)
        signal(SIGBUS, leave_fault);
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    messages = argument(argc, argv, 2, 50);
    bytes = argument(argc, argv, 3, 1000);
    if (strcmp(how, "child") == 0)
        be_child();
    exchange();
    if (strcmp(how, "fork") == 0)
        fork_children();
    else if (strcmp(how, "system") == 0)
        run_commands();
    else if (strcmp(how, "exec") == 0)
        execute_children();
    else if (strcmp(how, "fill") == 0)
        fill_journals();
    else if (strcmp(how, "limit") == 0)
        limit_files();
    else if (strcmp(how, "nofiles") == 0)
        let_no_file_grow();
    else if (strcmp(how, "filter") == 0)
        filter_calls();
    else if (strcmp(how, "user") == 0)
        become_another_user();
    else if (strcmp(how, "close") == 0)
        close_journal();
    else if (strcmp(how, "mute") == 0)
        take_standard_error();
    else if (strcmp(how, "truncate") == 0)
        truncate_journal();
    else if (strcmp(how, "fault") == 0) {
        truncate_own_file();
        truncate_journal();
    }
    else if (strcmp(how, "spawn") == 0)
        spawn_child(argv[0]);
    else if (strcmp(how, "environment") == 0)
        clearenv();
    exchange();
    MPI_Finalize();
    if (strcmp(how, "close") == 0 || strcmp(how, "mute") == 0)
        look_at_own_file();
    return 0;
}
