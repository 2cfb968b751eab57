/* Heat flow in a plate, dealt out to a grid of ranks; the plate is the same however many these are.
 *
 *     mpicc -O2 -o plate plate.c
 *     mpirun -n 4 ./plate
 */
#include <mpi.h>
#include <stdlib.h>

enum { POINTS = 512, ITERATIONS = 40, FACES = 4 };

static double sweep(double* points, long count) {
    double sum = 0;
    for (int repeat = 0; repeat < 4; ++repeat) {
        for (long i = 1; i < count - 1; ++i) {
            points[i] = 0.5 * points[i] + 0.25 * (points[i - 1] + points[i + 1]);
            sum += points[i];
        }
    }
    return sum;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks, dimensions[2] = {0, 0};
    const int periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dimensions);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 1, &grid);

    const long own = (long)POINTS * POINTS / ranks;
    double* points = calloc(own, sizeof *points);
    double* faces = calloc(2 * FACES * POINTS, sizeof *faces);
    double sum = 0;
    for (int i = 0; i < ITERATIONS; ++i) {
        MPI_Request requests[2 * FACES];
        for (int face = 0; face < FACES; ++face) {
            int before, after;
            MPI_Cart_shift(grid, face / 2, face % 2 ? 1 : -1, &before, &after);
            const int length = POINTS / dimensions[1 - face / 2];
            MPI_Irecv(faces + face * POINTS, length, MPI_DOUBLE, after, face ^ 1, grid, &requests[face]);
            MPI_Isend(faces + (FACES + face) * POINTS, length, MPI_DOUBLE, after, face, grid, &requests[FACES + face]);
        }
        double part = sweep(points, own);
        MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return sum > 1;
}
