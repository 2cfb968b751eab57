/* A library that uses MPI, for a program that knows nothing of it. */
#include <mpi.h>

int solve(int times) {
    int rank, size, in, out;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = rank;
    for (int i = 0; i < times; ++i) {
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return in == (rank + size - 1) % size ? 0 : 1;
}
