/* What one MPI call costs on one rank: blocks of each of five calls, in turn.
 *
 * Prints one JSON line a block: the call, the number of calls, the nanoseconds that they took. At the
 * end one with the memory that the process has in use. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static long resident_kB(void) {
    char line[256];
    long kB = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmRSS: %ld", &kB) == 1) break;
    }
    if (status != NULL) fclose(status);
    return kB;
}

#define BLOCK(name, call)                                                                           \
    do {                                                                                            \
        const double begin = now_ns();                                                              \
        for (int i = 0; i < calls; ++i) {                                                           \
            call;                                                                                   \
        }                                                                                           \
        printf("{\"call\": \"%s\", \"calls\": %d, \"ns\": %.0f}\n", name, calls, now_ns() - begin); \
    } while (0)

int main(int argc, char** argv) {
    const int blocks = argc > 1 ? atoi(argv[1]) : 10;
    const int calls = argc > 2 ? atoi(argv[2]) : 20000;
    int rank = 0;
    int flag = 0;
    double x = 1;
    double y = 0;
    double never = 0;
    MPI_Request pending;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&never, 1, MPI_DOUBLE, 0, 77, MPI_COMM_SELF, &pending);
    for (int block = 0; block < blocks; ++block) {
        BLOCK("Comm_rank", MPI_Comm_rank(MPI_COMM_WORLD, &rank));
        BLOCK("Iprobe", MPI_Iprobe(0, 5, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        BLOCK("Test", MPI_Test(&pending, &flag, MPI_STATUS_IGNORE));
        BLOCK("Sendrecv",
              MPI_Sendrecv(&x, 1, MPI_DOUBLE, 0, 1, &y, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        BLOCK("Allreduce", MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF));
    }
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 77, MPI_COMM_SELF);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    printf("{\"resident_kB\": %ld}\n", resident_kB());
    MPI_Finalize();
    return 0;
}
