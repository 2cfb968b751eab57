/* Known calls on files, and on what is no file. What it prints must not depend on the profiler. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char data[4096];

/* Every call once or a known number of times. */
static void calls(const char* name) {
    struct iovec parts[2] = {{data, 100}, {data, 200}};
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 10; ++i) write(file, data, 1000);
    pwrite(file, data, 50, 0);
    pwrite64(file, data, 50, 0);
    writev(file, parts, 2);
    fsync(file);
    fdatasync(file);
    lseek(file, 0, SEEK_SET);
    for (int i = 0; i < 5; ++i) read(file, data, 512);
    pread(file, data, 60, 0);
    pread64(file, data, 60, 0);
    readv(file, parts, 2);
    lseek(file, 0, SEEK_END);
    printf("at the end: %zd\n", read(file, data, 10));
    close(file);
    close(creat(name, 0600));
    close(open64(name, O_RDONLY));
    close(openat(AT_FDCWD, name, O_RDONLY));
}

static void streams(const char* name) {
    char line[64];
    char* text = NULL;
    size_t room = 0;
    FILE* stream = fopen(name, "w+");
    for (int i = 0; i < 3; ++i) fwrite(data, 8, 25, stream);
    fputs("one line\n", stream);
    fprintf(stream, "%d lines\n", 22);
    fflush(stream);
    rewind(stream);
    printf("items: %zu\n", fread(data, 8, 75, stream));
    printf("line: %s", fgets(line, sizeof line, stream));
    printf("length: %zd\n", getline(&text, &room, stream));
    printf("then: %zu, end: %d\n", fread(data, 1, 1, stream), feof(stream) != 0);
    free(text);
    fclose(stream);
}

static void interrupted(int number) { (void)number; }

/* Pipes, sockets, terminals, /proc; failures; a descriptor that becomes something else. */
static void others(const char* name) {
    int ends[2];
    int file = open("/proc/self/stat", O_RDONLY);
    read(file, data, 10);
    close(file);
    pipe(ends);
    write(ends[1], data, 10);
    printf("short: %zd\n", read(ends[0], data, 100));
    struct sigaction action = {0};
    action.sa_handler = interrupted;
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval soon = {{0, 0}, {0, 50000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    ssize_t result = read(ends[0], data, 1);
    printf("interrupted: %zd %d\n", result, errno == EINTR);
    errno = 0;
    result = read(-1, data, 1);
    printf("none: %zd %d\n", result, errno == EBADF);
    printf("missing: %d %d\n", open("/nonexistent/file", O_RDONLY), errno == ENOENT);
    printf("missing: %d %d\n", fopen("/nonexistent/file", "r") == NULL, errno == ENOENT);
    close(ends[0]);
    close(ends[1]);
    file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600); /* the one file: 1 open, 1 write of 7 bytes, 0 closes */
    write(file, data, 7);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    dup2(ends[0], file);
    write(file, data, 9);
    close(file);
    close(ends[0]);
    close(ends[1]);
    if (fork() == 0) {
        file = open(name, O_RDWR);
        write(file, data, 11);
        close(file);
        _exit(0);
    }
    wait(NULL);
    if (vfork() == 0) {
        close(ends[0]);
        _exit(0);
    }
    wait(NULL);
    printf("preloaded: %s\n", getenv("LD_PRELOAD") == NULL ? "nothing" : getenv("LD_PRELOAD"));
    fclose(stdout);
    result = write(1, data, 1);
    fprintf(stderr, "closed: %zd %d\n", result, errno == EBADF);
}

static void parallel(const char* name) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, data, 300, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, data, 300, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    int own = open(name, O_RDONLY);
    read(own, data, 300);
    close(own);
}

int main(int argc, char** argv) {
    const char* part = argv[1];
    const char* name = argv[2];
    calls(name); /* before MPI: not counted */
    MPI_Init(&argc, &argv);
    if (strcmp(part, "calls") == 0) calls(name);
    if (strcmp(part, "streams") == 0) streams(name);
    if (strcmp(part, "others") == 0) others(name);
    if (strcmp(part, "parallel") == 0) parallel(name);
    MPI_Finalize();
    streams(name); /* after MPI: not counted */
    return 0;
}
