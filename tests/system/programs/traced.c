/* Calls of known parameters, for tests of traces. On two ranks:
 *
 *   traced calls             each form of call, a few times
 *   traced many N            N times the same four calls
 *   traced sizes N           N messages, each of another size, and N more
 *   traced phases            three sends in phase 1, four in phase 2, five in phase 3, two more in phase 2
 *   traced spin N            N polls that find nothing, from one place; then a message
 *   traced killed N          N messages to itself, then SIGKILL for the second rank */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (strcmp(deed, "phases") == 0) phases();
    if (strcmp(deed, "spin") == 0) spin(n);
    if (strcmp(deed, "killed") == 0) killed(n);
    return MPI_Finalize();
}
