// One rank of several comes late to one call, again and again; says for how long the others waited.
//
//     planted_delay KIND ROUNDS LATE_MS      KIND: send, receiver, allreduce, barrier
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LATE = 2, PARTNER = 3, RANKS = 4, BYTES = 1 << 23 };

static char data[BYTES];

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void late(int rank, long ms) {
    struct timespec delay = {ms / 1000, ms % 1000 * 1000000};
    if (rank == LATE) nanosleep(&delay, NULL);
}

// When this rank came to the planted call.
static long long planted(const char* kind, int rank, long ms) {
    double one = 1, sum = 0;
    late(rank, ms);
    long long came = now_ns();
    if (!strcmp(kind, "send")) {
        if (rank == LATE) MPI_Send(data, 8, MPI_CHAR, PARTNER, 7, MPI_COMM_WORLD);  // late send
        if (rank == PARTNER) MPI_Recv(data, 8, MPI_CHAR, LATE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(kind, "receiver")) {
        if (rank == PARTNER) MPI_Send(data, BYTES, MPI_CHAR, LATE, 7, MPI_COMM_WORLD);
        if (rank == LATE)
            MPI_Recv(data, BYTES, MPI_CHAR, PARTNER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // late receiver
    } else if (!strcmp(kind, "allreduce")) {
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // late allreduce
    } else {
        MPI_Barrier(MPI_COMM_WORLD);  // late barrier
    }
    return came;
}

int main(int argc, char** argv) {
    int rank;
    long long waited = 0, planned = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* kind = argv[1];
    const int collective = !strcmp(kind, "allreduce") || !strcmp(kind, "barrier");
    for (int round = 0; round < atoi(argv[2]); ++round) {
        MPI_Allgather(&rank, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD);  // before the delay
        long long came = planted(kind, rank, atol(argv[3]));
        long long all[RANKS], last = 0;
        MPI_Gather(&came, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
        for (int i = 0; rank == 0 && i < RANKS; ++i) last = all[i] > last ? all[i] : last;
        for (int i = 0; rank == 0 && collective && i < RANKS; ++i) waited += last - all[i];
        if (rank == 0 && !collective && all[LATE] > all[PARTNER]) waited += all[LATE] - all[PARTNER];
        planned += atol(argv[3]) * 1000000LL * (collective ? RANKS - 1 : 1);
    }
    if (rank == 0) printf("waited %lld ns, planned %lld ns\n", waited, planned);
    MPI_Finalize();
    return 0;
}
