/* Every rank sleeps before each Allreduce, the last one longest: argv[1] rounds, argv[2] ms of the last rank,
 * argv[3] ms of the others. Prints when each rank came to its Allreduces, in ns of the host's clock, added up. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void sleep_ms(long ms) {
    const struct timespec wish = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&wish, NULL);
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000000000LL * now.tv_sec + now.tv_nsec;
}

/* On a busy machine ranks leave MPI_Init seconds apart. They wait for each other outside MPI, so that the planted
 * imbalance is all that there is in it. */
static void meet(void) {
    MPI_Request all_here;
    int done;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
    for (MPI_Test(&all_here, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&all_here, &done, MPI_STATUS_IGNORE)) {
        sleep_ms(1);
    }
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = argc > 3 ? atoi(argv[1]) : 5;
    const long ms = argc > 3 ? atol(argv[rank == size - 1 ? 2 : 3]) : 10;
    long long came_ns = 0;
    double value = rank, sum;
    meet();
    for (int i = 0; i < rounds; ++i) {
        sleep_ms(ms);
        came_ns += now_ns();
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d came at %lld ns\n", rank, came_ns);
    return MPI_Finalize();
}
