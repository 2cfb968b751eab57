/* What virtual clocks follow, one pattern a run: virtual PATTERN [BYTES [REPEATS]]. Ranks compute by sleeping. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, bytes = 8, repeats = 10;
static char *data, *more;

static void compute_ms(int ms) { usleep((useconds_t)ms * 1000); }

static void ping_pong(void) {
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
            MPI_Recv(data, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(data, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
        }
    }
}

/* Each rank passes all messages on to the next one. */
static void pipeline(void) {
    for (int i = 0; i < repeats; ++i) {
        if (rank > 0) MPI_Recv(data, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank + 1 < size) MPI_Send(data, bytes, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    }
}

static void broadcast(void) {
    for (int i = 0; i < repeats; ++i) MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allreduce(void) {
    for (int i = 0; i < repeats; ++i) MPI_Allreduce(data, more, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void iallreduce(void) {
    for (int i = 0; i < repeats; ++i) {
        MPI_Request request;
        MPI_Iallreduce(data, more, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Blocks until the last message comes back to rank 0: stamps must travel before the call ends. */
static void sendrecv_ring(void) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) {
            MPI_Sendrecv(data, bytes, MPI_BYTE, next, i, more, bytes, MPI_BYTE, before, i, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(more, bytes, MPI_BYTE, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(more, bytes, MPI_BYTE, next, i, MPI_COMM_WORLD);
        }
    }
}

/* The last rank hears of all others in the order of their ranks, by a token, and has receives for any of them, which it
   completes backwards. */
static void wildcards(void) {
    for (int i = 0; i < repeats; ++i) {
        if (rank == size - 1) {
            MPI_Request requests[64];
            int done;
            for (int k = 0; k < size - 1; ++k)
                MPI_Irecv(more + k, 1, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[k]);
            MPI_Send(data, 1, MPI_BYTE, 0, 99, MPI_COMM_WORLD);
            for (int k = 0; k < size - 1; ++k) MPI_Waitany(size - 1, requests, &done, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, 1, MPI_BYTE, rank == 0 ? size - 1 : rank - 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_BYTE, size - 1, rank, MPI_COMM_WORLD);
            if (rank + 1 < size - 1) MPI_Send(data, 1, MPI_BYTE, rank + 1, 99, MPI_COMM_WORLD);
        }
    }
}

/* Two messages with one tag, whose receives are completed in the wrong order; the second one is sent later. */
static void crossed(void) {
    MPI_Request requests[2];
    if (rank == 0) {
        for (int i = 0; i < repeats; ++i) {
            MPI_Send(data, bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
            MPI_Send(data, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
            MPI_Recv(data, 1, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        for (int i = 0; i < repeats; ++i) {
            MPI_Irecv(data, bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(more, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
        }
    }
}

/* In pairs of neighbours, each with a communicator of its own, with persistent requests and polls. */
static void pairs(void) {
    MPI_Comm pair;
    MPI_Request requests[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
    int partner, all;
    MPI_Comm_rank(pair, &partner);
    partner = 1 - partner;
    MPI_Send_init(data, bytes, MPI_BYTE, partner, 5, pair, &requests[0]);
    MPI_Recv_init(more, bytes, MPI_BYTE, partner, 5, pair, &requests[1]);
    for (int i = 0; i < repeats; ++i) {
        MPI_Startall(2, requests);
        do MPI_Testall(2, requests, &all, MPI_STATUSES_IGNORE);
        while (!all);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&pair);
}

/* Rank 0 puts into the next one's window between fences. */
static void fences(void) {
    MPI_Win window;
    MPI_Win_create(more, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < repeats; ++i) {
        MPI_Win_fence(0, window);
        if (rank == 0) MPI_Put(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}

/* What a real program does: it computes, unequally, and exchanges with its neighbours. */
static void halo(void) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < repeats; ++i) {
        MPI_Request requests[4];
        MPI_Irecv(more, bytes, MPI_BYTE, before, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(more + bytes, bytes, MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(data, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(data, bytes, MPI_BYTE, before, 1, MPI_COMM_WORLD, &requests[3]);
        compute_ms(5 + 5 * (i % size == rank));
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        double local = 1, sum;
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } kPatterns[] = {{"ping-pong", ping_pong},
                     {"pipeline", pipeline},
                     {"bcast", broadcast},
                     {"allreduce", allreduce},
                     {"iallreduce", iallreduce},
                     {"sendrecv", sendrecv_ring},
                     {"wildcards", wildcards},
                     {"crossed", crossed},
                     {"pairs", pairs},
                     {"fences", fences},
                     {"halo", halo}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2) bytes = atoi(argv[2]);
    if (argc > 3) repeats = atoi(argv[3]);
    data = calloc(2, (size_t)bytes + 64);
    more = calloc(2, (size_t)bytes + 64);
    int known = 0;
    for (size_t i = 0; i < sizeof kPatterns / sizeof *kPatterns; ++i) {
        if (argc < 2 || strcmp(argv[1], kPatterns[i].name) != 0) continue;
        kPatterns[i].run();
        known = 1;
    }
    free(data);
    free(more);
    MPI_Finalize();
    if (rank == 0) printf("%s\n", known ? "done" : "no such pattern");
    return known ? 0 : 2;
}
