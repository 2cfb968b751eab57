/* Patterns of messages whose iterations take a millisecond and more, with computing by sleeping.
 *
 *     patterns PATTERN ITERATIONS COMPUTE_US BYTES
 *
 * ring: each rank sends to the next; halo: ranks in a row exchange with both neighbours; allreduce: of doubles;
 * incast: all send to rank 0; cg: the calls of an iteration of ww-minife, with half as much computing between its two
 * sums. Prints the time of every iteration, the longest of all ranks [us], a line each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, compute_us, bytes;
static char *out, *in;

static void compute(int us) {
    struct timespec left = {us / 1000000, us % 1000000 * 1000L};
    while (nanosleep(&left, &left) != 0) {
    }
}

static void ring(void) {
    MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void halo(void) {
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];
    MPI_Irecv(in, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + bytes, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out + bytes, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void allreduce(void) {
    MPI_Allreduce(out, in, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void sum(void) { MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void faces(void) {
    MPI_Request requests[2];
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        const int from = rank - 1 + 2 * side;
        if (from < 0 || from == ranks) continue;
        MPI_Irecv(in + side * bytes, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    for (int to = rank - 1; to <= rank + 1; to += 2) {
        if (to >= 0 && to < ranks) MPI_Send(out, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < count; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void cg(void) {
    sum();
    compute(compute_us / 2);
    sum();
    faces();
}

static void incast(void) {
    if (rank > 0) {
        MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(in, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Request* requests = malloc((size_t)ranks * sizeof *requests);
    for (int from = 1; from < ranks; ++from) {
        MPI_Irecv(in + (size_t)from * (size_t)bytes, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
    }
    MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE);
    free(requests);
    for (int to = 1; to < ranks; ++to) MPI_Send(out, 1, MPI_BYTE, to, 1, MPI_COMM_WORLD);
}

static const struct {
    const char* name;
    void (*iteration)(void);
} patterns[] = {{"ring", ring}, {"halo", halo}, {"allreduce", allreduce}, {"incast", incast}, {"cg", cg}};

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void (*iteration)(void) = NULL;
    for (size_t i = 0; count == 5 && i < sizeof patterns / sizeof patterns[0]; ++i) {
        if (strcmp(words[1], patterns[i].name) == 0) iteration = patterns[i].iteration;
    }
    if (iteration == NULL) {
        if (rank == 0) fprintf(stderr, "usage: patterns ring|halo|allreduce|incast|cg ITERATIONS COMPUTE_US BYTES\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int iterations = atoi(words[2]);
    compute_us = atoi(words[3]);
    bytes = atoi(words[4]);
    out = calloc((size_t)ranks + 1, (size_t)bytes);
    in = calloc((size_t)ranks + 1, (size_t)bytes);
    double *mine = calloc((size_t)iterations, sizeof *mine), *longest = calloc((size_t)iterations, sizeof *longest);
    double before = MPI_Wtime();
    for (int i = 0; i < iterations; ++i) {
        compute(compute_us);
        iteration();
        const double after = MPI_Wtime();
        mine[i] = (after - before) * 1e6;
        before = after;
    }
    MPI_Reduce(mine, longest, iterations, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < iterations; ++i) printf("%.3f\n", longest[i]);
    MPI_Finalize();
    return 0;
}
