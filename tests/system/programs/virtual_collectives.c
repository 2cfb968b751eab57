/* Every collective with every size: virtual_collectives BYTES…, of each rank, in multiples of 8. Ranks compute by
   sleeping, unequally. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, turn;
static int *counts, *places, *mine, *my_places;
static double *in, *out;

/* One rank after the other comes 2 ms later than the others. */
static void compute(void) { usleep(1000 + 2000 * (turn++ % size == rank)); }

/* Where ranks give or get different lengths: rank r about r / size of twice the mean. */
static void share(int n, int* counts_of, int* places_of) {
    for (int r = 0, at = 0; r < size; at += counts_of[r++]) {
        counts_of[r] = 2 * n * r / size;
        places_of[r] = at;
    }
}

static void blocking(int n) {
    const int root = (n + 1) % size;
    const MPI_Comm all = MPI_COMM_WORLD;
    const MPI_Datatype real = MPI_DOUBLE;
    share(n, counts, places);
    for (int r = 0; r < size; ++r) {
        mine[r] = counts[rank];
        my_places[r] = r * counts[rank];
    }
    compute(), MPI_Barrier(all);
    compute(), MPI_Bcast(in, n, real, root, all);
    compute(), MPI_Reduce(in, out, n, real, MPI_SUM, root, all);
    compute(), MPI_Allreduce(in, out, n, real, MPI_SUM, all);
    compute(), MPI_Gather(in, n, real, out, n, real, root, all);
    compute(), MPI_Scatter(in, n, real, out, n, real, root, all);
    compute(), MPI_Allgather(in, n, real, out, n, real, all);
    compute(), MPI_Alltoall(in, n, real, out, n, real, all);
    compute(), MPI_Reduce_scatter(in, out, counts, real, MPI_SUM, all);
    compute(), MPI_Reduce_scatter_block(in, out, n, real, MPI_SUM, all);
    compute(), MPI_Scan(in, out, n, real, MPI_SUM, all);
    compute(), MPI_Exscan(in, out, n, real, MPI_SUM, all);
    compute(), MPI_Gatherv(in, counts[rank], real, out, counts, places, real, root, all);
    compute(), MPI_Scatterv(in, counts, places, real, out, counts[rank], real, root, all);
    compute(), MPI_Allgatherv(in, counts[rank], real, out, counts, places, real, all);
    compute(), MPI_Alltoallv(in, counts, places, real, out, mine, my_places, real, all);
}

static void nonblocking(int n) {
    const int root = (n + 1) % size;
    const MPI_Comm all = MPI_COMM_WORLD;
    const MPI_Datatype real = MPI_DOUBLE;
    MPI_Request request;
    compute(), MPI_Ibarrier(all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Ibcast(in, n, real, root, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Ireduce(in, out, n, real, MPI_SUM, root, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Iallreduce(in, out, n, real, MPI_SUM, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Iallgather(in, n, real, out, n, real, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Ialltoall(in, n, real, out, n, real, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Iscatterv(in, counts, places, real, out, counts[rank], real, root, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(), MPI_Igatherv(in, counts[rank], real, out, counts, places, real, root, all, &request);
    compute(), MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Whoever came last, they leave one after the other, as rank 0 lets them go: a barrier would keep a part of who came
 * when. */
static void meet(void) {
    if (rank > 0) {
        MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int r = 1; r < size; ++r) MPI_Recv(NULL, 0, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int r = 1; r < size; ++r) MPI_Send(NULL, 0, MPI_CHAR, r, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t most = 8;
    for (int i = 1; i < argc; ++i) most = (size_t)atol(argv[i]) > most ? (size_t)atol(argv[i]) : most;
    in = calloc((size_t)size + 1, 2 * most);
    out = calloc((size_t)size + 1, 2 * most);
    counts = calloc(4, sizeof(int) * (size_t)size);
    places = counts + size;
    mine = places + size;
    my_places = mine + size;
    meet();
    for (int i = 1; i < argc; ++i) {
        blocking(atoi(argv[i]) / 8);
        nonblocking(atoi(argv[i]) / 8);
    }
    MPI_Finalize();
    if (rank == 0) puts("done");
    return 0;
}
