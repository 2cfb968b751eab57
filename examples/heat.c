/* Heat flow in a plate: Jacobi iterations on rows that are dealt out to the ranks.
 *
 *     mpicc -O2 -o heat heat.c -lm
 *     mpirun -n 2 ./heat [even | forever]
 *
 * Without "even" the rows are dealt out in whole tiles, and the last rank takes what is left over:
 * the others then wait for it in every MPI_Allreduce. Results are the same either way.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ITERATIONS
#define ITERATIONS 1500
#endif

enum { COLUMNS = 1024, ROWS = 1536, ROWS_PER_TILE = 512 };

static int rows_of(int rank, int ranks, int even) {
    if (even) return ROWS / ranks + (rank < ROWS % ranks);
    int rows = ROWS / ROWS_PER_TILE / ranks * ROWS_PER_TILE;
    return rank < ranks - 1 ? rows : ROWS - rows * (ranks - 1);
}

/* One sweep over the inner rows; returns the sum of squared changes. */
static double sweep(const double* old, double* new, int rows) {
    double change = 0;
    for (int i = 1; i <= rows; ++i) {
        for (int j = 1; j < COLUMNS - 1; ++j) {
            const double* c = old + i * COLUMNS + j;
            double value = 0.25 * (c[-1] + c[1] + c[-COLUMNS] + c[COLUMNS]);
            change += (value - *c) * (value - *c);
            new[i * COLUMNS + j] = value;
        }
    }
    return change;
}

static void exchange(double* plate, int rows, int below, int above) {
    MPI_Sendrecv(plate + rows * COLUMNS, COLUMNS, MPI_DOUBLE, above, 0, plate, COLUMNS, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(plate + COLUMNS, COLUMNS, MPI_DOUBLE, below, 1, plate + (rows + 1) * COLUMNS, COLUMNS, MPI_DOUBLE,
                 above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = rows_of(rank, ranks, argc > 1 && strcmp(argv[1], "even") == 0);
    int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

    double* old = calloc((size_t)(rows + 2) * COLUMNS, sizeof *old);
    double* new = calloc((size_t)(rows + 2) * COLUMNS, sizeof *new);
    if (below == MPI_PROC_NULL) {
        for (int j = 0; j < COLUMNS; ++j) old[j] = new[j] = 1;
    }
    double change = 0;
    int forever = argc > 1 && strcmp(argv[1], "forever") == 0;
    for (int i = 0; i < ITERATIONS || forever; ++i) {
        exchange(old, rows, below, above);
        double mine = sweep(old, new, rows);
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double* swap = old;
        old = new;
        new = swap;
    }
    if (rank == 0) printf("change after %d iterations: %.6e\n", ITERATIONS, sqrt(change));
    free(old);
    free(new);
    MPI_Finalize();
    return 0;
}
