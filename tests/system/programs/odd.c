/* Does what few programs do, and a profiler must survive: `odd DEED [N]`. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deeds.h"

extern char** environ;

static int code_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A child that calls no MPI, one that ends badly, and MPI goes on. */
static void fork_midway(void) {
    pid_t child = fork();
    if (child == 0) exit(7); /* through the destructors of every library */
    const int first = code_of(child);
    exchange();
    child = fork();
    if (child == 0) raise(SIGKILL);
    printf("children ended with %d and %d\n", first, code_of(child));
    exchange();
}

static void start_programs(void) {
    char* words[] = {"sh", "-c", "exit 5", 0};
    pid_t child = vfork();
    if (child == 0) {
        execv("/bin/sh", words);
        _exit(1);
    }
    const int first = code_of(child);
    if (posix_spawn(&child, "/bin/sh", 0, 0, words, environ)) exit(1);
    const int second = code_of(child);
    printf("programs ended with %d, %d and %d\n", first, second, WEXITSTATUS(system("exit 6")));
    exchange();
}

/* The children that a program finds which waits for all of them. */
static int children(void) {
    int found = 0;
    while (wait(0) > 0) ++found;
    return found;
}

static void change_root(void) {
    if (chroot("/proc")) exit(3);
    if (chdir("/")) exit(4);
    exchange();
}

/* A second world of two, to which the first sends a message each. */
static void spawn_world(char* self) {
    char* words[] = {"child", 0};
    MPI_Comm there;
    MPI_Comm_spawn(self, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &there, MPI_ERRCODES_IGNORE);
    for (int i = 0; rank == 0 && i < 2; ++i) MPI_Send(&i, 1, MPI_INT, i, 0, there);
    MPI_Comm_disconnect(&there);
    if (rank == 0) puts("spawned a world");
}

static void be_spawned(void) {
    int number = -1;
    MPI_Comm there;
    MPI_Comm_get_parent(&there);
    MPI_Recv(&number, 1, MPI_INT, 0, 0, there, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&there);
    if (number != rank) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void make_communicators(long n) {
    for (long i = 0; i < n; ++i) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm);
        MPI_Bcast(&i, 1, MPI_LONG, 0, comm);
        MPI_Comm_free(&comm);
    }
}

/* Half of them ordinary requests, half persistent ones that are started once. */
static void make_requests(long n) {
    int in, out = 1;
    for (long i = 0; i < n; i += 4) {
        MPI_Request requests[2];
        MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Send_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
}

static long resident_kilobytes(void) {
    char line[200];
    long kilobytes = -1;
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) sscanf(line, "VmRSS: %ld", &kilobytes);
    fclose(status);
    return kilobytes;
}

/* What the second half of them adds to the memory; the first half fills the library's own pools. */
static void grow(void (*make)(long), long n) {
    make(n / 2);
    const long before = resident_kilobytes();
    make(n / 2);
    printf("grew by %ld kB\n", resident_kilobytes() - before);
}

int main(int argc, char** argv) {
    const char* deed = argc > 1 ? argv[1] : "nothing";
    const int inherited = is(deed, "children") ? children() : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is(deed, "child")) {
        be_spawned();
        MPI_Finalize();
        return 0;
    }
    exchange();
    if (is(deed, "fork")) fork_midway();
    if (is(deed, "programs")) start_programs();
    if (is(deed, "chroot")) change_root();
    if (is(deed, "spawn-world")) spawn_world(argv[0]);
    if (is(deed, "communicators")) grow(make_communicators, atol(argv[2]));
    if (is(deed, "requests")) grow(make_requests, atol(argv[2]));
    MPI_Finalize();
    if (is(deed, "children")) printf("%d and %d children\n", inherited, children());
    fflush(stdout);
    if (is(deed, "close-all")) {
        for (int fd = 0; fd < 1024; ++fd) close(fd);
        return 4;
    }
    return 0;
}
