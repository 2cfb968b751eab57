/* communicators N: makes N communicators, each a duplicate of the one before, and uses each.
   groups N: makes N communicators of different orders of the ranks, and uses each. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* The place of a rank in the n-th permutation. */
static int place(int n, int rank, int size) {
    int left[16];
    for (int i = 0; i < size; ++i) left[i] = i;
    for (int i = 0; i < size; ++i) {
        int at = n % (size - i);
        n /= size - i;
        if (left[at] == rank) return i;
        memmove(left + at, left + at + 1, sizeof(int) * (size_t)(size - i - at - 1));
    }
    return 0;
}

int main(int argc, char** argv) {
    int n = atoi(argv[2]);
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm before = MPI_COMM_WORLD;
    for (int i = 0; i < n; ++i) {
        MPI_Comm created;
        if (argv[1][0] == 'g') {
            MPI_Comm_split(MPI_COMM_WORLD, 0, place(i, rank, size), &created);
        } else {
            MPI_Comm_dup(before, &created);
        }
        MPI_Bcast(&n, 1, MPI_INT, 0, created);
        if (before != MPI_COMM_WORLD) MPI_Comm_free(&before);
        before = created;
    }
    if (before != MPI_COMM_WORLD) MPI_Comm_free(&before);
    MPI_Finalize();
    return 0;
}
