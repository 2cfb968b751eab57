// One rank of several comes late to one call, again and again; says for how long the others waited.
//
//     planted_delay KIND ROUNDS LATE_MS
//
// KIND: send, receiver, allreduce, barrier, post, wait, lock, neighbour, file, spin
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LATE = 2, PARTNER = 3, RANKS = 4, BYTES = 1 << 23 };

static char data[BYTES];
static MPI_Win window;
static MPI_Comm chain;
static MPI_File file;
static MPI_Group only_late, only_partner;

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void late(int rank, long ms) {
    struct timespec delay = {ms / 1000, ms % 1000 * 1000000};
    if (rank == LATE) nanosleep(&delay, NULL);
}

// LATE exposes its memory, and PARTNER waits to get at it.
static void late_to_post(int rank) {
    if (rank == LATE) {
        MPI_Win_post(only_partner, 0, window);  // late post
        MPI_Win_wait(window);
    } else if (rank == PARTNER) {
        MPI_Win_start(only_late, 0, window);
        MPI_Win_complete(window);
    }
}

// PARTNER has exposed its memory, and waits for LATE to be done with it.
static void late_to_put(int rank) {
    if (rank == LATE) {
        MPI_Win_start(only_partner, 0, window);  // late wait
        MPI_Put(data, 8, MPI_CHAR, PARTNER, 0, 8, MPI_CHAR, window);
        MPI_Win_complete(window);
    } else if (rank == PARTNER) {
        MPI_Win_post(only_late, 0, window);
        MPI_Win_wait(window);
    }
}

// LATE holds the lock already.
static void late_to_unlock(int rank) {
    if (rank == PARTNER) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (rank == LATE) MPI_Win_unlock(0, window);  // late lock
    if (rank == PARTNER) MPI_Win_unlock(0, window);
}

static void spin(int rank) {
    if (rank == LATE) MPI_Send(data, 8, MPI_CHAR, PARTNER, 7, MPI_COMM_WORLD);  // late spin
    if (rank != PARTNER) return;
    MPI_Request request;
    MPI_Irecv(data, 8, MPI_CHAR, LATE, 7, MPI_COMM_WORLD, &request);
    for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
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
    } else if (!strcmp(kind, "barrier")) {
        MPI_Barrier(MPI_COMM_WORLD);  // late barrier
    } else if (!strcmp(kind, "post")) {
        late_to_post(rank);
    } else if (!strcmp(kind, "wait")) {
        late_to_put(rank);
    } else if (!strcmp(kind, "lock")) {
        late_to_unlock(rank);
    } else if (!strcmp(kind, "neighbour")) {
        MPI_Neighbor_alltoall(data, 8, MPI_CHAR, data + 1024, 8, MPI_CHAR, chain);  // late neighbour
    } else if (!strcmp(kind, "file")) {
        MPI_File_write_at_all(file, 8 * rank, data, 8, MPI_CHAR, MPI_STATUS_IGNORE);  // late file
    } else {
        spin(rank);
    }
    return came;
}

// True if a rank waits for LATE.
static int waits(const char* kind, int rank) {
    if (!strcmp(kind, "allreduce") || !strcmp(kind, "barrier") || !strcmp(kind, "file")) return rank != LATE;
    if (!strcmp(kind, "neighbour")) return rank == LATE - 1 || rank == LATE + 1;
    return rank == PARTNER;
}

int main(int argc, char** argv) {
    int rank;
    long long waited = 0;
    const int size = RANKS, alone = 0, late_rank = LATE, partner = PARTNER;
    MPI_Group all_ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* kind = argv[1];
    const int locks = !strcmp(kind, "lock"), writes = !strcmp(kind, "file");
    MPI_Comm_group(MPI_COMM_WORLD, &all_ranks);
    MPI_Group_incl(all_ranks, 1, &late_rank, &only_late);
    MPI_Group_incl(all_ranks, 1, &partner, &only_partner);
    MPI_Win_create(data, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &alone, 0, &chain);
    if (writes) {
        const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE;
        MPI_File_open(MPI_COMM_WORLD, "planted_delay.data", mode, MPI_INFO_NULL, &file);
    }
    for (int round = 0; round < atoi(argv[2]); ++round) {
        if (locks && rank == LATE) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Allgather(&rank, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD);  // before the delay
        long long came = planted(kind, rank, atol(argv[3]));
        long long all[RANKS];
        MPI_Gather(&came, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
        for (int i = 0; rank == 0 && i < RANKS; ++i) {
            if (waits(kind, i) && all[LATE] > all[i]) waited += all[LATE] - all[i];
        }
    }
    if (rank == 0) printf("waited %lld ns\n", waited);
    if (writes) MPI_File_close(&file);
    MPI_Comm_free(&chain);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
