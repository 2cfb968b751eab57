/* Spends known times: `times wait` (rank 0 keeps the others waiting), `times spin`, `times sleep`. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void spin(double cpu_seconds) {
    const clock_t start = clock();
    while ((double)(clock() - start) < cpu_seconds * CLOCKS_PER_SEC) continue;
}

int main(int argc, char** argv) {
    int rank, one = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(argv[1], "wait")) {
        if (rank == 0) usleep(600000);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 1) { /* 256 MiB that are really touched */
            volatile char* memory = malloc(1 << 28);
            for (long i = 0; i < 1 << 28; i += 4096) memory[i] = 1;
        }
    }
    if (!strcmp(argv[1], "spin")) spin(0.6);
    if (!strcmp(argv[1], "sleep")) usleep(600000);
    return MPI_Finalize();
}
