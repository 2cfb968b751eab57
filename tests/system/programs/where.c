/* Prints where each rank is: "rank 0 of 2 on n0". */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
    int rank, ranks;
    char host[256] = "";
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gethostname(host, sizeof host - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d on %s\n", rank, ranks, host);
    MPI_Finalize();
    return 0;
}
