/* A matrix product C = A B whose columns are dealt out to the ranks: panels of A are broadcast by their owners in turn.
 *
 *     mpicc -O2 -o summa summa.c -lm
 *     mpirun -n 2 ./summa [order [panel [products]]]
 *
 * SUMMA (R. A. van de Geijn, J. Watts, Concurrency: Practice and Experience 9(4), 1997) on one row of ranks, each with
 * one column of B and C. A step takes one MPI_Bcast of order x panel doubles: its time shows what a library's
 * algorithm for that size is worth. A_ik = i + k and B_kj = k + j, so that every sum is a whole number, and known.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORDER = 1024, PANEL = 128, PRODUCTS = 50 };

/* c += panel b, the panel by columns. */
static void add_product(const double* restrict panel, const double* b, double* restrict c, long order, long columns) {
    for (long k = 0; k < columns; ++k)
        for (long i = 0; i < order; ++i) c[i] += panel[k * order + i] * b[k];
}

/* The sum of (i + k) (k + j) over k from 0 to n - 1. */
static double exact(double i, double j, double n) {
    const double sum = n * (n - 1) / 2, squares = (n - 1) * n * (2 * n - 1) / 6;
    return squares + (i + j) * sum + n * i * j;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long order = argc > 1 ? atol(argv[1]) : ORDER;
    const long columns = argc > 2 ? atol(argv[2]) : PANEL;
    const int products = argc > 3 ? atoi(argv[3]) : PRODUCTS;
    if (columns < 1 || order < 1 || order % columns != 0 || products < 1) {
        if (rank == 0)
            fputs("summa: give an order that is a multiple of the panel's columns, and 1 product or more\n", stderr);
        MPI_Finalize();
        return 2;
    }
    const long panels = order / columns;
    double* own = malloc(sizeof *own * order * order); /* panels rank, rank + ranks, ... at their places in A */
    double* received = malloc(sizeof *received * order * columns);
    double* b = malloc(sizeof *b * order);
    double* c = malloc(sizeof *c * order);
    for (long p = rank; p < panels; p += ranks)
        for (long n = 0; n < columns * order; ++n) own[p * columns * order + n] = n % order + p * columns + n / order;
    for (long k = 0; k < order; ++k) b[k] = k + rank;

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < products; ++i) {
        for (long k = 0; k < order; ++k) c[k] = 0;
        for (long p = 0; p < panels; ++p) {
            const int owner = p % ranks;
            double* panel = rank == owner ? own + p * columns * order : received;
            MPI_Bcast(panel, columns * order, MPI_DOUBLE, owner, MPI_COMM_WORLD);
            add_product(panel, b + p * columns, c, order, columns);
        }
    }
    const double seconds = MPI_Wtime() - start;

    double error = 0, largest = 0;
    for (long i = 0; i < order; ++i) error = fmax(error, fabs(c[i] - exact(i, rank, order)));
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("time of a step: %.3f us\n", 1e6 * seconds / (products * panels));
        printf("error: %.3e\n", largest);
    }
    free(own);
    free(received);
    free(b);
    free(c);
    MPI_Finalize();
    return 0;
}
