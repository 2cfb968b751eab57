/* Linear regression by gradient descent: every rank has samples of its own, and each step sums the gradient.
 *
 *     mpicc -O2 -o regression regression.c
 *     mpirun -n 2 ./regression [weights [steps]]
 *
 * A step takes one MPI_Allreduce of as many doubles as there are weights: its time shows what a library's
 * algorithm for that size is worth.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 4, WEIGHTS = 4096, STEPS = 4000 };

/* Features of +1 and -1, by xorshift (Marsaglia, Journal of Statistical Software 8(14), 2003). */
static void draw(double* features, long count, unsigned long long state) {
    for (long i = 0; i < count; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        features[i] = state & 1 ? 1 : -1;
    }
}

/* Adds this rank's part of the gradient; returns its part of the squared error. All values are to be 1. */
static double gradient_of(const double* features, const double* weights, int count, double* gradient) {
    double squared = 0;
    for (int j = 0; j < count; ++j) gradient[j] = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        const double* sample = features + (long)i * count;
        double error = -1;
        for (int j = 0; j < count; ++j) error += sample[j] * weights[j];
        for (int j = 0; j < count; ++j) gradient[j] += error * sample[j];
        squared += error * error;
    }
    return squared;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int count = argc > 1 ? atoi(argv[1]) : WEIGHTS;
    int steps = argc > 2 ? atoi(argv[2]) : STEPS;
    if (count < 1 || steps < 1) {
        if (rank == 0) fputs("regression: give a number of weights and of steps, 1 and more\n", stderr);
        MPI_Finalize();
        return 2;
    }
    double* features = malloc(sizeof *features * SAMPLES * count);
    double* weights = calloc(count, sizeof *weights);
    double* part = malloc(sizeof *part * count);
    double* gradient = malloc(sizeof *gradient * count);
    draw(features, (long)SAMPLES * count, rank + 1);

    double squared = 0, rate = 0.5 / count;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < steps; ++i) {
        squared = gradient_of(features, weights, count, part);
        MPI_Allreduce(part, gradient, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int j = 0; j < count; ++j) weights[j] -= rate * gradient[j];
    }
    double seconds = MPI_Wtime() - start, sum = 0;
    MPI_Allreduce(&squared, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("time of a step: %.3f us\n", 1e6 * seconds / steps);
        printf("squared error: %.3e\n", sum);
    }
    free(features);
    free(weights);
    free(part);
    free(gradient);
    MPI_Finalize();
    return 0;
}
