/* Collectives between two groups of different size: world ranks {0, 2} and {1}. */
#include <mpi.h>

static int in[100], out[100];

int main(int argc, char** argv) {
    int rank, counts[1] = {2};
    MPI_Comm group, between;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int alone = rank == 1;
    MPI_Comm_split(MPI_COMM_WORLD, alone, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, alone ? 0 : 1, 0, &between);

    /* World rank 1 is the root of a scatter and a gather to the others. */
    const int from_one = alone ? MPI_ROOT : 0;
    int uneven[2] = {3, 4};
    MPI_Scatter(out, 4, MPI_INT, in, 4, MPI_INT, from_one, between);
    MPI_Gatherv(out, rank == 0 ? 3 : 4, MPI_INT, in, uneven, uneven, MPI_INT, from_one, between);

    /* World rank 2 is the root of what follows; its group's other rank takes no part. */
    const int root = rank == 2 ? MPI_ROOT : rank == 0 ? MPI_PROC_NULL : 1;
    MPI_Bcast(out, 5, MPI_INT, root, between);
    MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, root, between);
    MPI_Gatherv(out, 2, MPI_INT, in, counts, counts, MPI_INT, root, between);
    MPI_Reduce(out, in, 6, MPI_INT, MPI_SUM, root, between);

    MPI_Allgather(out, 7, MPI_INT, in, 7, MPI_INT, between);
    MPI_Alltoall(out, 8, MPI_INT, in, 8, MPI_INT, between);
    MPI_Allreduce(out, in, 9, MPI_INT, MPI_SUM, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
    return MPI_Finalize();
}
