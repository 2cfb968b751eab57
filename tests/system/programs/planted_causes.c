// A cause of lost time is planted, or mended.
//
//     planted_causes CAUSE planted|mended ROUNDS
//
// Two ranks, or four. Computing is sleeping, so that it takes as long on any machine, and what it took is told by each
// rank's clock. The last line has the time of the rounds [ns].
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, SMALL = 8, MANY = 400, LONG = 16384 };

static int rank, other, ranks;
static bool mended;

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void compute(double ms) {
    const struct timespec time = {0, (long)(ms * MS)};
    nanosleep(&time, NULL);
}

// If there may be more ranks than CPUs, a waiting rank sleeps instead of yielding, so that ranks do not contend.
int sched_yield(void) {
    if (ranks <= 2) return (int)syscall(SYS_sched_yield);
    const struct timespec time = {0, 500000};
    return nanosleep(&time, NULL);
}

static void sum(void) {
    double value = rank, all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void swap(void) {
    char sent[SMALL] = {0}, received[SMALL];
    MPI_Sendrecv(sent, SMALL, MPI_CHAR, other, 0, received, SMALL, MPI_CHAR, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// Imbalance: rank 1 has twice the work of rank 0.
static void compute_unevenly(void) { compute(mended ? 6 : rank == 1 ? 8 : 4); }

static void imbalance_at_collective(int round) {
    (void)round;
    compute_unevenly();
    sum();
}

static void imbalance_at_exchange(int round) {
    (void)round;
    compute_unevenly();
    swap();
}

// Late sender: rank 0 computes before it sends what it had before.
static void late_sender(int round) {
    (void)round;
    char message[SMALL] = {0};
    if (rank == 0) {
        if (!mended) compute(5);
        MPI_Send(message, SMALL, MPI_CHAR, other, 1, MPI_COMM_WORLD);
        if (mended) compute(5);
    } else {
        MPI_Recv(message, SMALL, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(5);
    }
    sum();
}

// Late senders in turn: each computes between what it receives and what it sends.
static void late_reply(int round) {
    (void)round;
    char message[SMALL] = {0};
    for (int turn = 0; turn < 2; ++turn) {
        if (turn == rank) {
            if (!mended) compute(4);
            MPI_Send(message, SMALL, MPI_CHAR, other, 2, MPI_COMM_WORLD);
            if (mended) compute(4);
        } else {
            MPI_Recv(message, SMALL, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

// Noise: in every fifth round one of the ranks in turn takes three times as long.
static void noise_in_turn(int round) {
    const bool disturbed = !mended && round % 5 == 4 && round / 5 % 2 == rank;
    compute(disturbed ? 12 : 4);
    sum();
}

// Noise: each rank is delayed in a third of its rounds, by chance, by up to its computing.
static void noise_by_chance(int round) {
    unsigned drawn = (unsigned)(round * 2 + rank + 1) * 2654435761U;
    drawn = (drawn ^ drawn >> 15) * 2246822519U;  // so that two ranks in a row have little in common
    drawn ^= drawn >> 13;
    const double delay = !mended && drawn % 3 == 0 ? (double)(drawn >> 16 & 0xff) / 0xff : 0;
    compute(4 * (1 + delay));
    swap();
}

// Small messages: a block of numbers, each in a message of its own.
static void send_block(bool answered) {
    char block[MANY * SMALL] = {0};
    const int messages = mended ? 1 : MANY, bytes = mended ? MANY * SMALL : SMALL;
    for (int i = 0; i < messages; ++i) {
        char* const part = block + (size_t)i * SMALL;
        if (rank == 0) MPI_Send(part, bytes, MPI_CHAR, other, 3, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(part, bytes, MPI_CHAR, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (answered) swap();
    }
}

static void small_messages(int round) {
    (void)round;
    send_block(true);
}

static void small_messages_in_a_row(int round) {
    (void)round;
    send_block(false);
    swap();
    compute(1);
}

static void swap_with(int partner, int bytes) {
    static char sent[LONG], received[LONG];
    MPI_Sendrecv(sent, bytes, MPI_CHAR, partner, 4, received, bytes, MPI_CHAR, partner, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// Wrong algorithm: one that takes more messages after each other than another; planted and mended by the library's
// settings.
static void sums(int round) {
    (void)round;
    static double own[LONG / sizeof(double)], all[LONG / sizeof(double)];
    compute(3);
    swap_with(rank ^ 1, 1024);
    MPI_Allreduce(own, all, LONG / sizeof *own, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void transpositions(int round) {
    static char sent[LONG], received[LONG];
    compute(3);
    if (round % 4 == 0) swap_with(rank ^ 1, 1024);
    MPI_Alltoall(sent, 1024, MPI_CHAR, received, 1024, MPI_CHAR, MPI_COMM_WORLD);
}

// Bad placement: ranks that talk much are on different hosts, and those that hardly do on one; mended by the launcher.
static void far_partners(int round) {
    compute(3);
    for (int i = 0; i < 4; ++i) swap_with((rank + 2) % 4, 1024);
    if (round % 4 == 0) swap_with(rank ^ 1, 1024);
}

static void far_neighbours(int round) {
    compute(3);
    for (int i = 0; i < 3; ++i) swap_with(rank ^ 1, LONG);
    if (round % 4 == 0) swap_with((rank + 2) % 4, LONG);
}

static const struct {
    const char* name;
    void (*round)(int);
} causes[] = {
    {"imbalance-at-collective", imbalance_at_collective},
    {"imbalance-at-exchange", imbalance_at_exchange},
    {"late-sender", late_sender},
    {"late-reply", late_reply},
    {"noise-in-turn", noise_in_turn},
    {"noise-by-chance", noise_by_chance},
    {"small-messages", small_messages},
    {"small-messages-in-a-row", small_messages_in_a_row},
    {"sums", sums},
    {"transpositions", transpositions},
    {"far-partners", far_partners},
    {"far-neighbours", far_neighbours},
};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    other = rank ^ 1;
    void (*round)(int) = NULL;
    for (size_t i = 0; argc == 4 && i < sizeof causes / sizeof *causes; ++i) {
        if (strcmp(causes[i].name, argv[1]) == 0) round = causes[i].round;
    }
    if (round == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    mended = strcmp(argv[2], "mended") == 0;
    swap();
    MPI_Barrier(MPI_COMM_WORLD);
    const long long begin = now_ns();
    for (int i = 0; i < atoi(argv[3]); ++i) round(i);
    MPI_Barrier(MPI_COMM_WORLD);
    const long long took = now_ns() - begin;
    if (rank == 0) printf("rounds took %lld ns\n", took);
    MPI_Finalize();
    return 0;
}
