/* Prints where each rank is, and with how many it shares memory: "rank 0 of 6 on n0 in 2". */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
    int rank, ranks, sharing;
    char host[256] = "";
    MPI_Comm node;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &sharing);
    gethostname(host, sizeof host - 1);
    printf("rank %d of %d on %s in %d\n", rank, ranks, host, sharing);
    MPI_Comm_free(&node);
    MPI_Finalize();
    return 0;
}
