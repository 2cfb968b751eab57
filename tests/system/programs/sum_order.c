/* A mark for the order in which MPI_Allreduce adds numbers of very different sizes, for each count of bytes among the
   arguments: sums that are rounded in another order differ. Of ten calls, the last counts: MPICH gives a communicator
   its shared memory after some calls only. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 1; k < argc; ++k) {
        const int count = atoi(argv[k]) / (int)sizeof(double);
        double* give = malloc((size_t)count * sizeof(double));
        double* take = malloc((size_t)count * sizeof(double));
        srand(1 + (unsigned)rank);
        for (int i = 0; i < count; ++i) give[i] = ldexp(rand() - RAND_MAX / 2.0, rand() % 40);
        for (int call = 0; call < 10; ++call) MPI_Allreduce(give, take, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        uint64_t mark = 14695981039346656037U; /* FNV-1a */
        for (size_t i = 0; i < (size_t)count * sizeof(double); ++i) {
            mark = (mark ^ ((unsigned char*)take)[i]) * 1099511628211U;
        }
        if (rank == 0) printf("%s: %016llx\n", argv[k], (unsigned long long)mark);
        free(give);
        free(take);
    }
    MPI_Finalize();
    return 0;
}
