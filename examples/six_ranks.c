/* The example of the MPIplace slides: six ranks in three pairs, (0, 3), (1, 4) and (2, 5), that talk
 * much, and a ring that talks little. In the default order of three nodes with two slots, no pair is
 * on one node. Build and place it as docs/placement.md shows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 20, MUCH = 1 << 18, LITTLE = 1 << 10 };

static void exchange(int to, int from, int bytes, char* sent, char* received) {
    MPI_Sendrecv(sent, bytes, MPI_BYTE, to, 0, received, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char* sent = calloc(2, MUCH);
    const int pair = (rank + ranks / 2) % ranks;
    const double start = MPI_Wtime();
    for (int i = 0; i < ITERATIONS; ++i) {
        exchange(pair, pair, MUCH, sent, sent + MUCH);
        exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks, LITTLE, sent, sent + MUCH);
    }
    if (rank == 0) printf("%d ranks, %.1f ms\n", ranks, 1e3 * (MPI_Wtime() - start));
    free(sent);
    MPI_Finalize();
    return 0;
}
