/* Diffusion in a square by alternating directions: a half step along each axis, with all points transposed between.
 *
 *     mpicc -O2 -o adi adi.c -lm
 *     mpirun -n 2 ./adi [points [steps]]
 *
 * A step takes two MPI_Alltoall with blocks of (points / ranks)^2 doubles: its time shows what a library's algorithm
 * for that size is worth. Crank-Nicolson along each axis is exact for a wave of the grid (N. N. Yanenko, The Method of
 * Fractional Steps, 1971), which the result is compared with.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 32, STEPS = 10000 };

static const double PI = 3.14159265358979323846, END = 0.02;

/* Solves (1 - r/2 D) u = (1 + r/2 D) u along lines of points, D being the second difference. Points of a line lie
   `lines` apart. `scale` has what elimination makes of the diagonal; `before` is room for a value of each line. */
static void half_step(double* u, long points, long lines, double r, const double* scale, double* before) {
    for (long l = 0; l < lines; ++l) before[l] = 0;
    for (long i = 0; i < points; ++i) {
        double* here = u + i * lines;
        const double* left = i > 0 ? here - lines : NULL;
        const double* right = i + 1 < points ? here + lines : NULL;
        for (long l = 0; l < lines; ++l) {
            const double old = here[l];
            const double sum = (1 - r) * old + r / 2 * (before[l] + (right ? right[l] : 0));
            here[l] = (sum + r / 2 * (left ? left[l] : 0)) * scale[i];
            before[l] = old;
        }
    }
    for (long i = points - 2; i >= 0; --i) {
        double* here = u + i * lines;
        for (long l = 0; l < lines; ++l) here[l] += r / 2 * scale[i] * here[l + lines];
    }
}

/* Point i of line l becomes point l of line i. */
static void transpose(double* u, double* blocks, long points, long lines) {
    MPI_Alltoall(u, lines * lines, MPI_DOUBLE, blocks, lines * lines, MPI_DOUBLE, MPI_COMM_WORLD);
    for (long i = 0; i < points; ++i) {
        const double* from = blocks + i / lines * lines * lines + i % lines;
        for (long l = 0; l < lines; ++l) u[i * lines + l] = from[l * lines];
    }
}

/* The wave that has one half wave along x and two along y. */
static double wave(long x, long y, long points) { return sin(PI * x / (points + 1)) * sin(2 * PI * y / (points + 1)); }

/* What a step leaves of a grid's wave of so many half waves along one axis. */
static double kept(int halves, long points, double r) {
    const double s = sin(PI * halves / (2.0 * (points + 1)));
    return (1 - 2 * r * s * s) / (1 + 2 * r * s * s);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long points = argc > 1 ? atol(argv[1]) : POINTS;
    const int steps = argc > 2 ? atoi(argv[2]) : STEPS;
    if (points < 1 || points % ranks != 0 || steps < 1) {
        if (rank == 0)
            fputs("adi: give a number of points that is a multiple of the ranks, and 1 step or more\n", stderr);
        MPI_Finalize();
        return 2;
    }
    const long lines = points / ranks;
    const double r = END / steps * (points + 1) * (points + 1);
    double* u = malloc(sizeof *u * points * lines);
    double* blocks = malloc(sizeof *blocks * points * lines);
    double* scale = malloc(sizeof *scale * points);
    for (long i = 0; i < points; ++i) scale[i] = 1 / (1 + r - (i > 0 ? r * r / 4 * scale[i - 1] : 0));
    for (long i = 0; i < points * lines; ++i) u[i] = wave(i / lines + 1, rank * lines + i % lines + 1, points);

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < steps; ++i) {
        half_step(u, points, lines, r, scale, blocks);
        transpose(u, blocks, points, lines);
        half_step(u, points, lines, r, scale, blocks);
        transpose(u, blocks, points, lines);
    }
    const double seconds = MPI_Wtime() - start;

    const double left = pow(kept(1, points, r) * kept(2, points, r), steps);
    double error = 0, largest = 0;
    for (long i = 0; i < points * lines; ++i) {
        const double exact = left * wave(i / lines + 1, rank * lines + i % lines + 1, points);
        error = fmax(error, fabs(u[i] - exact) / left);
    }
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("time of a step: %.3f us\n", 1e6 * seconds / steps);
        printf("error: %.3e\n", largest);
    }
    free(u);
    free(blocks);
    free(scale);
    MPI_Finalize();
    return 0;
}
