/* Every collective, blocking, nonblocking and persistent (started twice), on MPI_COMM_WORLD, on its two parts
 * in reverse order, and on every second rank. */
#include <mpi.h>

#define FORMS(name, iname, ...)                                  \
    do {                                                         \
        MPI_Request request;                                     \
        MPI_##name(__VA_ARGS__);                                 \
        MPI_##iname(__VA_ARGS__, &request);                      \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                   \
        MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
        for (int start = 0; start < 2; ++start) {                \
            MPI_Start(&request);                                 \
            MPI_Wait(&request, MPI_STATUS_IGNORE);               \
        }                                                        \
        MPI_Request_free(&request);                              \
    } while (0)

static int in[1000], out[1000];

static void all_on(MPI_Comm comm) {
    int rank, size, rising[8], to[8], from[8], apart[8], far_apart[8];
    MPI_Datatype types[8];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 8; ++i) {
        rising[i] = i + 1;
        to[i] = rank + 2 * i + 1;
        from[i] = i + 2 * rank + 1;
        apart[i] = 40 * i;
        far_apart[i] = 160 * i;
        types[i] = MPI_INT;
    }
    const int last = size - 1;
    FORMS(Bcast, Ibcast, out, 3, MPI_INT, last, comm);
    FORMS(Gather, Igather, out, 2, MPI_INT, in, 2, MPI_INT, 0, comm);
    FORMS(Gatherv, Igatherv, out, rank + 1, MPI_INT, in, rising, apart, MPI_INT, last, comm);
    FORMS(Scatter, Iscatter, out, 4, MPI_INT, in, 4, MPI_INT, last, comm);
    FORMS(Scatterv, Iscatterv, out, rising, apart, MPI_INT, in, rank + 1, MPI_INT, 0, comm);
    FORMS(Allgather, Iallgather, out, 5, MPI_INT, in, 5, MPI_INT, comm);
    FORMS(Allgatherv, Iallgatherv, out, rank + 1, MPI_INT, in, rising, apart, MPI_INT, comm);
    FORMS(Alltoall, Ialltoall, out, 6, MPI_INT, in, 6, MPI_INT, comm);
    FORMS(Alltoallv, Ialltoallv, out, to, apart, MPI_INT, in, from, apart, MPI_INT, comm);
    FORMS(Alltoallw, Ialltoallw, out, to, far_apart, types, in, from, far_apart, types, comm);
    FORMS(Reduce, Ireduce, out, in, 7, MPI_INT, MPI_SUM, 0, comm);
    FORMS(Allreduce, Iallreduce, out, in, 8, MPI_INT, MPI_SUM, comm);
    FORMS(Reduce_scatter, Ireduce_scatter, out, in, rising, MPI_INT, MPI_SUM, comm);
    FORMS(Reduce_scatter_block, Ireduce_scatter_block, out, in, 9, MPI_INT, MPI_SUM, comm);
    FORMS(Scan, Iscan, out, in, 10, MPI_INT, MPI_SUM, comm);
    FORMS(Exscan, Iexscan, out, in, 11, MPI_INT, MPI_SUM, comm);
    FORMS(Barrier, Ibarrier, comm);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm parts, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, -rank, &parts);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &second);
    all_on(MPI_COMM_WORLD);
    all_on(parts);
    all_on(second);
    MPI_Comm_free(&second);
    MPI_Comm_free(&parts);
    return MPI_Finalize();
}
