/* Calls of MPI at lines that the test finds by their marks. For 2 ranks. */
#include <mpi.h>

#ifdef LIBRARY
void in_library(void);
#endif

static void __attribute__((noinline)) first(int rank) {
    int value = rank;
    for (int i = 0; i < 3; ++i) MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* first: 3 MPI_Bcast */
    if (rank == 0) {
        for (int i = 0; i < 7; ++i) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* first: 7 MPI_Send */
    } else {
        for (int i = 0; i < 7; ++i)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* first: 7 MPI_Recv */
    }
    __asm__ volatile(""); /* so that no call above is the function's last and becomes a jump */
}

static void __attribute__((noinline)) second(int rank) {
    double value = rank, sum;
    MPI_Bcast(&value, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);                 /* second: 1 MPI_Bcast */
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* second: 1 MPI_Allreduce */
    for (int i = 0; i < 4; ++i)
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* second: 4 MPI_Allreduce */
    __asm__ volatile("");
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; ++i) first(rank);
    second(rank);
#ifdef LIBRARY
    in_library();
#endif
    return MPI_Finalize();
}
