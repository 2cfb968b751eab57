// The bottleneck of this program is planted: one rank that computes longer, latency, or bandwidth.
//
//     planted_opportunities imbalance|latency|bandwidth ROUNDS
//
// Computing is sleeping: ranks may share their processors. Each rank says how long it has computed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MS = 1000000, LATE = 1, BYTES = 1 << 22, MESSAGES = 100 };

static char sent[BYTES], received[BYTES];

static long long computed_ns;

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Takes longer where the machine is busy: what counts is what it took.
static void compute(long ns) {
    const long long begin = now_ns();
    struct timespec time = {ns / 1000000000, ns % 1000000000};
    nanosleep(&time, NULL);
    computed_ns += now_ns() - begin;
}

// Rank LATE computes 20 ms, the others 10 ms.
static void imbalance(int rank) {
    double value = rank, sum = 0;
    compute((rank == LATE ? 20 : 10) * (long)MS);  // planted
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Pairs of ranks play ping-pong with 8 bytes.
static void latency(int rank) {
    for (int i = 0; i < MESSAGES; ++i) {
        if (rank % 2 == 0) {
            MPI_Send(sent, 8, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
            MPI_Recv(received, 8, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(received, 8, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(sent, 8, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD);
        }
    }
}

// Pairs of ranks play ping-pong with 4 MiB, and once with 8 bytes, so that the latency is known.
static void bandwidth(int rank) {
    const int sizes[] = {8, BYTES, BYTES};
    for (int i = 0; i < 3; ++i) {
        if (rank % 2 == 0) {
            MPI_Send(sent, sizes[i], MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
            MPI_Recv(received, sizes[i], MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(received, sizes[i], MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(sent, sizes[i], MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(sent, 1, BYTES);
    memset(received, 1, BYTES);  // so that no round pays for the pages
    MPI_Barrier(MPI_COMM_WORLD);
    const char* kind = argc > 2 ? argv[1] : "";
    for (int i = 0; argc > 2 && i < atoi(argv[2]); ++i) {
        if (strcmp(kind, "imbalance") == 0) imbalance(rank);
        if (strcmp(kind, "latency") == 0) latency(rank);
        if (strcmp(kind, "bandwidth") == 0) bandwidth(rank);
    }
    MPI_Finalize();
    printf("rank %d computed %lld ns\n", rank, computed_ns);
    return 0;
}
