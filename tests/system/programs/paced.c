/* Sends a message to itself every 20 ms, N times; the n-th has n bytes. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
    static char out[65536], in[65536];
    const int n = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < n; ++i) {
        const struct timespec pause = {0, 20 * 1000 * 1000};
        nanosleep(&pause, NULL);
        MPI_Sendrecv(out, i, MPI_CHAR, 0, 1, in, i, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
