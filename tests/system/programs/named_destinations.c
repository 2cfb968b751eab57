/* 4 ranks: collectives whose arguments name each destination, on topologies in which some ranks have nobody
 * to send to; each blocking and persistent. With an argument, a communicator is freed before its request is
 * started (Open MPI 5.0 crashes on that by itself). */
#include <mpi.h>

static int in[1000], out[1000];
static int free_early;

/* The i-th neighbour gets 10 rank + i + 1 ints. */
static void exchange(MPI_Comm* comm, int rank, int n_in, const int* counts_in, int n_out) {
    int to[8], from[8], apart[8];
    MPI_Request request;
    for (int i = 0; i < 8; ++i) {
        to[i] = i < n_out ? 10 * rank + i + 1 : 0;
        from[i] = i < n_in ? counts_in[i] : 0;
        apart[i] = 40 * i;
    }
    MPI_Neighbor_alltoallv(out, to, apart, MPI_INT, in, from, apart, MPI_INT, *comm);
    MPI_Neighbor_alltoallv_init(out, to, apart, MPI_INT, in, from, apart, MPI_INT, *comm, MPI_INFO_NULL, &request);
    if (free_early) MPI_Comm_free(comm);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (!free_early) MPI_Comm_free(comm);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm comm;
    free_early = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* An open line: at its ends, the first or the second neighbour is nobody. */
    int length = 4, open = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &open, 0, &comm);
    const int along[2] = {rank > 0 ? 10 * (rank - 1) + 2 : 7, rank < 3 ? 10 * (rank + 1) + 1 : 7};
    exchange(&comm, rank, 2, along, 2);

    /* A graph: 0 - 1, 1 - 2; rank 3 has no neighbour. */
    const int ends[4] = {1, 3, 4, 4}, edges[4] = {1, 0, 2, 1};
    MPI_Graph_create(MPI_COMM_WORLD, 4, ends, edges, 0, &comm);
    const int beside[4][2] = {{11, 0}, {1, 21}, {12, 0}, {0, 0}};
    const int degree[4] = {1, 2, 1, 0};
    exchange(&comm, rank, degree[rank], beside[rank], degree[rank]);

    /* Everyone sends to rank 3 alone, which sends to nobody. */
    const int senders[3] = {0, 1, 2}, receiver[1] = {3};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 3 ? 3 : 0, senders, MPI_UNWEIGHTED, rank == 3 ? 0 : 1,
                                   receiver, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    const int arriving[3] = {1, 11, 21};
    exchange(&comm, rank, rank == 3 ? 3 : 0, arriving, rank == 3 ? 0 : 1);

    /* The ranks backwards, so that ranks and world ranks differ. */
    int own, to[4], from[4], apart[4];
    MPI_Request requests[2];
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_rank(comm, &own);
    for (int i = 0; i < 4; ++i) {
        to[i] = 100 + 10 * own + i;
        from[i] = 100 + 10 * i + own;
        apart[i] = 200 * i;
    }
    MPI_Alltoallv_init(out, to, apart, MPI_INT, in, from, apart, MPI_INT, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Scatterv_init(out, to, apart, MPI_INT, in, own == 1 ? to[1] : 110 + own, MPI_INT, 1, comm, MPI_INFO_NULL,
                      &requests[1]);
    if (free_early) MPI_Comm_free(&comm);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Startall(1, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
    if (!free_early) MPI_Comm_free(&comm);
    return MPI_Finalize();
}
