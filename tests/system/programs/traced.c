/* Calls of known parameters, for tests of traces. On two ranks:
 *
 *   traced calls             each form of call, a few times
 *   traced many N            N times the same four calls
 *   traced sizes N           N messages, each of another size, and N more
 *   traced varied N          N times one of eleven deeds, by chance, each in two ways of which one parameter differs
 *   traced polled N          N times one of five ways to ask for a message, by chance, once or several times
 *   traced awaited N         N messages to the first rank, each of which it polls for until it is there
 *   traced phases            three sends in phase 1, four in phase 2, five in phase 3, two more in phase 2
 *   traced stays N           N times the same three sends in phase 2, and in phase 3
 *   traced spin N            N polls that find nothing, from one place; then a message
 *   traced killed N          N messages to itself, then SIGKILL for the second rank */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static double in[4096], out[4096];

/* Sends n numbers to the own rank. */
static void to_self(int n, int tag) {
    MPI_Sendrecv(out, n, MPI_DOUBLE, 0, tag, in, n, MPI_DOUBLE, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void calls(void) {
    const int other = 1 - rank;
    const int counts[2] = {1 + rank, 3}, displacements[2] = {0, 8}, received[2] = {1 + 2 * rank, 2 + rank};
    MPI_Request requests[2];
    MPI_Comm comm;
    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in, 5, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 5, MPI_DOUBLE, other, 40, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 0) MPI_Send(out, 7, MPI_DOUBLE, other, 41, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in, 7, MPI_DOUBLE, other, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 7, MPI_DOUBLE, MPI_PROC_NULL, 42, MPI_COMM_WORLD);
    MPI_Sendrecv(out, 2, MPI_DOUBLE, other, 43, in, 3, MPI_DOUBLE, other, 43, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(in, 6, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Alltoallv(out, counts, displacements, MPI_DOUBLE, in, received, displacements, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Pcontrol(5);
}

static void many(int n) {
    double sum;
    for (int i = 0; i < n; ++i) {
        to_self(3, 1);
        to_self(4, 2);
        MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
}

static void sizes(int n) {
    static char bytes[65536];
    for (int i = 0; i < 2 * n; ++i) {
        MPI_Sendrecv(bytes, i, MPI_CHAR, 0, i % 7, bytes + 32768, i, MPI_CHAR, 0, i % 7, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
}

static void receives(int n) {
    MPI_Request requests[2];
    for (int i = 0; i < n; ++i) MPI_Irecv(in + i, 1, MPI_DOUBLE, 0, 9, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < n; ++i) MPI_Send(out, 1, MPI_DOUBLE, 0, 9, MPI_COMM_SELF);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void receive(int room, int tag, int expected) {
    MPI_Request request;
    MPI_Isend(out, 1, MPI_DOUBLE, 0, tag, MPI_COMM_SELF, &request);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Recv(in, room, MPI_DOUBLE, 0, expected, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Takes the smallest number of a request, or gives it back. */
static void hold(void) {
    static MPI_Request held = MPI_REQUEST_NULL;
    if (held == MPI_REQUEST_NULL) {
        MPI_Irecv(in, 1, MPI_DOUBLE, 0, 8, MPI_COMM_SELF, &held);
    } else {
        MPI_Send(out, 1, MPI_DOUBLE, 0, 8, MPI_COMM_SELF);
        MPI_Wait(&held, MPI_STATUS_IGNORE);
    }
}

static void duplicate(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_free(&comm);
}

/* Makes a duplicate, and frees it in the next call. */
static void hold_duplicate(void) {
    static MPI_Comm held = MPI_COMM_NULL;
    if (held == MPI_COMM_NULL) {
        MPI_Comm_dup(MPI_COMM_SELF, &held);
    } else {
        MPI_Comm_free(&held);
    }
}

static void varied(int n) {
    const MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    unsigned chance = 1;
    int size;
    for (int i = 0; i < n; ++i) {
        chance = chance * 1103515245U + 12345U;
        const int variant = chance >> 30 & 1;
        switch ((chance >> 16) % 11) {
            case 0:
                if (variant) {
                    MPI_Comm_size(MPI_COMM_SELF, &size);
                } else {
                    MPI_Comm_size(MPI_COMM_SELF, &size);
                }
                break;
            case 1: MPI_Barrier(comms[variant]); break;
            case 2: MPI_Send(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 10 + variant, MPI_COMM_SELF); break;
            case 3: MPI_Recv(in, 1, MPI_DOUBLE, MPI_PROC_NULL, 10 + variant, MPI_COMM_SELF, MPI_STATUS_IGNORE); break;
            case 4: MPI_Bcast(in, 1 + variant, MPI_DOUBLE, 0, MPI_COMM_SELF); break;
            case 5: receive(1 + variant, 3, 3); break;
            case 6: receive(1, 5 + variant, MPI_ANY_TAG); break;
            case 7: receives(1 + variant); break;
            case 8: MPI_Pcontrol(2 + variant); break;
            case 9: variant ? hold() : receive(1, 3, 3); break;
            case 10: variant ? hold_duplicate() : duplicate(); break;
        }
    }
}

static MPI_Request poll_requests[2];

static int poll(int which) {
    int flag;
    MPI_Test(&poll_requests[which], &flag, MPI_STATUS_IGNORE);
    return flag;
}

/* The second of the two receives takes messages of any source. */
static void ask(int which) {
    MPI_Irecv(in, 1, MPI_DOUBLE, which ? MPI_ANY_SOURCE : 0, 20 + which, MPI_COMM_SELF, &poll_requests[which]);
}

static void polled(int n) {
    const MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    unsigned chance = 1;
    int flag;
    ask(0);
    ask(1);
    for (int i = 0; i < n; ++i) {
        chance = chance * 1103515245U + 12345U;
        const int variant = chance >> 30 & 1;
        const int times = 1 + (chance >> 24 & 31);
        switch ((chance >> 16) % 5) {
            case 0:
                for (int j = 0; j < times; ++j) poll(variant);
                break;
            case 1:
                for (int j = 0; j < times; ++j) MPI_Iprobe(0, 30 + variant, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
                break;
            case 2:
                for (int j = 0; j < times; ++j) MPI_Iprobe(0, 30, comms[variant], &flag, MPI_STATUS_IGNORE);
                break;
            case 3:
                for (int j = 0; j < times; ++j) MPI_Test(&poll_requests[variant], &flag, MPI_STATUS_IGNORE);
                break;
            case 4:
                MPI_Send(out, 1, MPI_DOUBLE, 0, 20 + variant, MPI_COMM_SELF);
                while (!poll(variant)) continue;
                ask(variant);
                break;
        }
    }
    for (int i = 0; i < 2; ++i) MPI_Send(out, 1, MPI_DOUBLE, 0, 20 + i, MPI_COMM_SELF);
    MPI_Waitall(2, poll_requests, MPI_STATUSES_IGNORE);
}

static void awaited(int n) {
    for (int i = 0; i < n; ++i) {
        if (rank == 0) {
            MPI_Irecv(in, 1, MPI_DOUBLE, i % 2 ? MPI_ANY_SOURCE : 1, 1, MPI_COMM_WORLD, &poll_requests[0]);
            while (!poll(0)) continue;
        } else {
            usleep(5000);
            MPI_Send(out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void phases(void) {
    for (int i = 0; i < 3; ++i) to_self(1, 1);
    MPI_Pcontrol(2);
    for (int i = 0; i < 4; ++i) to_self(2, 1);
    MPI_Pcontrol(3);
    for (int i = 0; i < 5; ++i) to_self(3, 1);
    MPI_Pcontrol(2);
    for (int i = 0; i < 2; ++i) to_self(4, 1);
    MPI_Pcontrol(3);
}

static void stays(int n) {
    for (int i = 0; i < 2 * n; ++i) {
        MPI_Pcontrol(2 + i % 2);
        for (int j = 0; j < 3; ++j) to_self(1, 1);
    }
}

static void spin(int n) {
    MPI_Request request;
    int flag = 0;
    MPI_Irecv(in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
    for (int i = 0; i <= n; ++i) {
        if (i == n) MPI_Send(out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    if (!flag) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void killed(int n) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) to_self(1, 1);
    if (rank == 1) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    const char* deed = argc > 1 ? argv[1] : "";
    const int n = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(deed, "calls") == 0) calls();
    if (strcmp(deed, "many") == 0) many(n);
    if (strcmp(deed, "sizes") == 0) sizes(n);
    if (strcmp(deed, "varied") == 0) varied(n);
    if (strcmp(deed, "polled") == 0) polled(n);
    if (strcmp(deed, "awaited") == 0) awaited(n);
    if (strcmp(deed, "phases") == 0) phases();
    if (strcmp(deed, "stays") == 0) stays(n);
    if (strcmp(deed, "spin") == 0) spin(n);
    if (strcmp(deed, "killed") == 0) killed(n);
    return MPI_Finalize();
}
