/* Large-count forms, which only some libraries have: recorded under their own names. */
#include <mpi.h>

static int in[100], out[100];

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    const MPI_Count counts[2] = {3, 4};
    const MPI_Aint starts[2] = {0, 3};
    MPI_Request request;
    MPI_Isend_c(out, 5, MPI_INT, right, 0, MPI_COMM_WORLD, &request);
    MPI_Recv_c(in, 50, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce_c(out, in, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv_c(out, counts[rank], MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Send_init_c(out, 7, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Bcast(out, 8, MPI_INT, 1, MPI_COMM_WORLD);
    return MPI_Finalize();
}
