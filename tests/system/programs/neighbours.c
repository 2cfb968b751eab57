/* Every neighbourhood collective on a periodic grid, an open line, a graph and a distributed graph of 4 ranks. */
#include <mpi.h>

#define FORMS(name, ...)                                                  \
    do {                                                                  \
        MPI_Request request;                                              \
        MPI_Neighbor_##name(__VA_ARGS__);                                 \
        MPI_Ineighbor_##name(__VA_ARGS__, &request);                      \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                            \
        MPI_Neighbor_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
        MPI_Start(&request);                                              \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                            \
        MPI_Request_free(&request);                                       \
    } while (0)

static double in[100], out[100];

/* The i-th neighbour gets `rank + 1` ints in the v- and w-forms; `senders` lists the incoming ones. */
static void exchange(MPI_Comm comm, int rank, int n_in, const int* senders) {
    int sent[4], received[4], apart[4];
    MPI_Aint far_apart[4];
    MPI_Datatype types[4];
    for (int i = 0; i < 4; ++i) {
        sent[i] = rank + 1;
        received[i] = i < n_in ? senders[i] + 1 : 0;
        apart[i] = 8 * i;
        far_apart[i] = 64 * i;
        types[i] = MPI_INT;
    }
    FORMS(allgather, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    FORMS(allgatherv, out, rank + 1, MPI_INT, in, received, apart, MPI_INT, comm);
    FORMS(alltoall, out, 3, MPI_INT, in, 3, MPI_INT, comm);
    FORMS(alltoallv, out, sent, apart, MPI_INT, in, received, apart, MPI_INT, comm);
    FORMS(alltoallw, out, sent, far_apart, types, in, received, far_apart, types, comm);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm grid, line, ring, edges;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int left = (rank + 3) % 4, right = (rank + 1) % 4;

    int shape[2] = {2, 2}, wrap[2] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, shape, wrap, 0, &grid);
    int across[4] = {rank ^ 2, rank ^ 2, rank ^ 1, rank ^ 1};
    exchange(grid, rank, 4, across);

    /* Beyond its ends is MPI_PROC_NULL; what the arguments say of it is sent to and by nobody. */
    int length = 4, open = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &open, 0, &line);
    int along[2] = {rank > 0 ? rank - 1 : 8, rank < 3 ? rank + 1 : 8};
    exchange(line, rank, 2, along);

    int ends[4] = {2, 4, 6, 8}, joined[8] = {3, 1, 0, 2, 1, 3, 2, 0};
    MPI_Graph_create(MPI_COMM_WORLD, 4, ends, joined, 0, &ring);
    int beside[2] = {left, right};
    exchange(ring, rank, 2, beside);

    /* Everyone to the right, and rank 0 to rank 2 besides. */
    int from[2] = {left, 0}, to[2] = {right, 2};
    const int n_in = rank == 2 ? 2 : 1, n_out = rank == 0 ? 2 : 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n_in, from, MPI_UNWEIGHTED, n_out, to, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &edges);
    exchange(edges, rank, n_in, from);
    return MPI_Finalize();
}
