/* Does what programs do besides MPI: `actor DEED [argument]`. The tests say what must come of it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deeds.h"

extern char** environ;

static void every_byte(int blocks) {
    unsigned char block[256];
    for (int i = 0; i < 256; ++i) block[i] = (unsigned char)i;
    if (rank == 0) {
        for (int i = 0; i < blocks; ++i) fwrite(block, 1, sizeof block, stdout);
        fputs("no newline at the end", stdout);
    }
}

static void copy_input(void) {
    char line[100];
    if (rank == 0 && fgets(line, sizeof line, stdin)) printf("read %s", line);
}

static void environment(void) {
    if (rank != 0) return;
    for (char** entry = environ; *entry; ++entry) {
        if (strstr(*entry, "WAYWISER") || !strncmp(*entry, "LD_PRELOAD", 10)) puts(*entry);
    }
    fflush(stdout);
    if (system("echo child ${LD_PRELOAD:-clean} ${WAYWISER_RUN:-clean}")) exit(1);
}

static void have_child(void) {
    if (chdir("/")) exit(1);
    const pid_t child = fork();
    if (child == 0) exit(7); /* through the destructors of every library */
    int status = 0;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
}

static void* call_mpi(void* unused) {
    int flag;
    MPI_Initialized(&flag);
    MPI_Finalized(&flag);
    return unused;
}

/* Closes every descriptor before MPI_Init, and takes a number that was free for a file of its own. */
static void own_descriptors(const char* name) {
    int flag;
    const char* launcher = getenv("PMI_FD"); /* Hydra's line to its processes */
    MPI_Initialized(&flag);
    for (int fd = 3; fd < 256; ++fd) {
        if (!launcher || fd != atoi(launcher)) close(fd);
    }
    const int mine = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(mine, "mine", 4) != 4) exit(1);
    for (int i = 0; i < 60; ++i) { /* enough records for the profiler to want more room */
        pthread_t thread;
        pthread_create(&thread, 0, call_mpi, 0);
        pthread_join(thread, 0);
    }
    puts(lseek(mine, 0, SEEK_END) == 4 ? "my file is as I wrote it" : "my file was changed");
    fflush(stdout);
    close(mine);
}

static void wrong_calls(void) {
    int value = 0, failed = 0;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed += MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) != 0;
    failed += MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != 0;
    failed += MPI_Send(&value, 1, MPI_INT, size + 9, 0, MPI_COMM_WORLD) != 0;
    failed += MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD) != 0;
    failed += MPI_Isend(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &none) != 0;
    failed += MPI_Request_free(&none) != 0;
    if (rank == 0) printf("%d calls failed\n", failed);
}

/* Waits for its end; `place` is where. */
static void wait_for_end(const char* place) {
    if (rank == 0) {
        puts("ready");
        fflush(stdout);
    }
    if (is(place, "barrier") && rank != 1) MPI_Barrier(MPI_COMM_WORLD);
    for (;;) sleep(1);
}

static void end_badly(const char* deed) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (is(deed, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
    if (is(deed, "exit-early") && rank == 1) exit(5);
    if (is(deed, "crash") && rank == 1) raise(SIGSEGV);
    if (is(deed, "killed") && rank == 1) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(60); /* whoever may still be here, the launcher ends it */
}

int main(int argc, char** argv) {
    const char* deed = argc > 1 ? argv[1] : "nothing";
    int flag;
    if (is(deed, "never")) return argc > 2 ? atoi(argv[2]) : 0;
    if (is(deed, "own-descriptors")) own_descriptors(argv[2]);
    if (is(deed, "early")) MPI_Initialized(&flag);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange();
    if (is(deed, "every-byte")) every_byte(atoi(argv[2]));
    if (is(deed, "copy-input")) copy_input();
    if (is(deed, "environment")) environment();
    if (is(deed, "have-child")) have_child();
    if (is(deed, "wrong-calls")) wrong_calls();
    if (is(deed, "wait")) wait_for_end(argv[2]);
    if (is(deed, "abort") || is(deed, "exit-early") || is(deed, "crash") || is(deed, "killed")) end_badly(deed);
    MPI_Finalize();
    if (is(deed, "early")) MPI_Finalized(&flag);
    if (is(deed, "signal") && rank == 0) raise(SIGTERM);
    return is(deed, "code") ? atoi(argv[2]) : 0;
}
