// Makes as many calls as asked for, each with another list of sizes.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    static char from[1 << 17], to[1 << 17];
    MPI_Init(&argc, &argv);
    const int calls = atoi(argv[1]), nowhere = 0;
    for (int bytes = 1; bytes <= calls; ++bytes) {
        MPI_Alltoallv(from, &bytes, &nowhere, MPI_CHAR, to, &bytes, &nowhere, MPI_CHAR, MPI_COMM_SELF);
    }
    MPI_Finalize();
    return 0;
}
