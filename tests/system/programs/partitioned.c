/* Rank 0 sends twice a message of 4 partitions to rank 1: made ready one by one, as a range and as a list. */
#include <mpi.h>

int main(int argc, char** argv) {
    enum { partitions = 4, each = 25 };
    static int data[partitions * each];
    int rank, last[1] = {2};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, partitions, each, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, partitions, each, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&request);
        if (rank == 0) {
            MPI_Pready(3, request);
            MPI_Pready_range(0, 1, request);
            MPI_Pready_list(1, last, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    return MPI_Finalize();
}
