/* Makes and frees N communicators, each used in one collective; every second has its ranks backwards. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank;
    const int n = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < n; ++i) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 == 0 ? rank : -rank, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    return MPI_Finalize();
}
