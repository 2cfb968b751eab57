/* Every rank sleeps before each Allreduce, the last one longest: argv[1] rounds, argv[2] ms of the last rank,
 * argv[3] ms of the others. Prints how long each rank has really slept, in ns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000000000LL * now.tv_sec + now.tv_nsec;
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = argc > 3 ? atoi(argv[1]) : 5;
    const long ms = argc > 3 ? atol(argv[rank == size - 1 ? 2 : 3]) : 10;
    long long slept_ns = 0;
    double value = rank, sum;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds; ++i) {
        const struct timespec wish = {ms / 1000, ms % 1000 * 1000000};
        const long long start = now_ns();
        nanosleep(&wish, NULL);
        slept_ns += now_ns() - start;
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d slept %lld ns\n", rank, slept_ns);
    return MPI_Finalize();
}
