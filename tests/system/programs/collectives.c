/* Every collective of MPI_COMM_WORLD in its blocking, nonblocking and persistent form. Arguments
   that the standard calls not significant on a rank are wrong there on purpose. */
#include <mpi.h>

#define W MPI_COMM_WORLD
#define FORMS(Name, name, ...)                                   \
    do {                                                         \
        MPI_Request request;                                     \
        AT_ONCE(Name, name, __VA_ARGS__);                        \
        MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
        for (int i = 0; i < 2; ++i) {                            \
            MPI_Start(&request);                                 \
            MPI_Wait(&request, MPI_STATUS_IGNORE);               \
        }                                                        \
        MPI_Request_free(&request);                              \
    } while (0)
#define AT_ONCE(Name, name, ...)               \
    do {                                       \
        MPI_Request pending;                   \
        MPI_##Name(__VA_ARGS__);               \
        MPI_I##name(__VA_ARGS__, &pending);    \
        MPI_Wait(&pending, MPI_STATUS_IGNORE); \
    } while (0)
/* Intel MPI 2021.18 aborts where a persistent scatter is completed. */
#if defined I_MPI_VERSION || defined OVER_INTEL_MPI
#define FORMS_OF_SCATTER AT_ONCE
#else
#define FORMS_OF_SCATTER FORMS
#endif
#define INT_ON(holds) ((holds) ? MPI_INT : MPI_DATATYPE_NULL)

static int in[100], out[100];
static int rank, size;

static void rooted(void) {
    int counts[3] = {1, 2, 3}, starts[3] = {0, 1, 3};
    FORMS(Bcast, bcast, out, 5, MPI_DOUBLE, 1, W);
    FORMS(Gather, gather, out, 3, MPI_INT, in, rank == 2 ? 3 : -1, INT_ON(rank == 2), 2, W);
    FORMS(Gather, gather, rank == 1 ? MPI_IN_PLACE : out, rank == 1 ? -1 : 4, INT_ON(rank != 1), in, 4, MPI_INT, 1, W);
    FORMS(Gatherv, gatherv, out, counts[rank], MPI_INT, in, rank == 2 ? counts : 0, rank == 2 ? starts : 0,
          INT_ON(rank == 2), 2, W);
    FORMS(Gatherv, gatherv, rank == 1 ? MPI_IN_PLACE : out, rank == 1 ? -1 : counts[rank], INT_ON(rank != 1), in,
          counts, starts, MPI_INT, 1, W);
    FORMS_OF_SCATTER(Scatter, scatter, out, rank == 2 ? 6 : -1, INT_ON(rank == 2), in, 6, MPI_INT, 2, W);
    FORMS_OF_SCATTER(Scatter, scatter, out, 7, MPI_INT, rank == 1 ? MPI_IN_PLACE : in, rank == 1 ? -1 : 7,
                     INT_ON(rank != 1), 1, W);
    FORMS(Scatterv, scatterv, out, rank == 2 ? counts : 0, rank == 2 ? starts : 0, INT_ON(rank == 2), in, counts[rank],
          MPI_INT, 2, W);
    FORMS(Scatterv, scatterv, out, counts, starts, MPI_INT, rank == 1 ? MPI_IN_PLACE : in,
          rank == 1 ? -1 : counts[rank], INT_ON(rank != 1), 1, W);
    FORMS(Reduce, reduce, out, in, 8, MPI_INT, MPI_SUM, 2, W);
    FORMS(Reduce, reduce, rank == 1 ? MPI_IN_PLACE : out, in, 9, MPI_INT, MPI_SUM, 1, W);
}

static void to_all(void) {
    int counts[3] = {3, 1, 2}, starts[3] = {0, 3, 4};
    int sent[3], received[3], alike[3], bytes_apart[3] = {0, 80, 160};
    MPI_Datatype types[3];
    for (int peer = 0; peer < size; ++peer) {
        sent[peer] = rank + 2 * peer;
        received[peer] = peer + 2 * rank;
        alike[peer] = rank + peer;
        types[peer] = (rank + peer) % 2 ? MPI_DOUBLE : MPI_INT;
    }
    int apart[3] = {0, 20, 40};
    FORMS(Allgather, allgather, out, 2, MPI_INT, in, 2, MPI_INT, W);
    FORMS(Allgather, allgather, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 3, MPI_INT, W);
    FORMS(Allgatherv, allgatherv, out, counts[rank], MPI_INT, in, counts, starts, MPI_INT, W);
    FORMS(Allgatherv, allgatherv, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, counts, starts, MPI_INT, W);
    FORMS(Alltoall, alltoall, out, 4, MPI_INT, in, 4, MPI_INT, W);
    FORMS(Alltoall, alltoall, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 5, MPI_INT, W);
    FORMS(Alltoallv, alltoallv, out, sent, apart, MPI_INT, in, received, apart, MPI_INT, W);
    FORMS(Alltoallv, alltoallv, MPI_IN_PLACE, 0, 0, MPI_DATATYPE_NULL, in, alike, apart, MPI_INT, W);
    FORMS(Alltoallw, alltoallw, out, sent, bytes_apart, types, in, received, bytes_apart, types, W);
    FORMS(Alltoallw, alltoallw, MPI_IN_PLACE, 0, 0, 0, in, alike, bytes_apart, types, W);
}

static void reductions(void) {
    int counts[3] = {1, 2, 3};
    FORMS(Allreduce, allreduce, out, in, 3, MPI_INT, MPI_SUM, W);
    FORMS(Allreduce, allreduce, MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, W);
    FORMS(Scan, scan, out, in, 5, MPI_INT, MPI_SUM, W);
    FORMS(Exscan, exscan, out, in, 6, MPI_INT, MPI_SUM, W);
    FORMS(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, W);
    FORMS(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, W);
    FORMS(Reduce_scatter_block, reduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, W);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    if (size != 3) MPI_Abort(W, 2);
    rooted();
    to_all();
    reductions();
    FORMS(Barrier, barrier, W);
    return MPI_Finalize();
}
