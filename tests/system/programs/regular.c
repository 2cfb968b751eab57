// A heat equation on a plate, shared by all ranks, and a butterfly by hand: regular at any power of two.
// usage: regular [strips]
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { POINTS = 256, ITERATIONS = 6, FACES = 4 };

static void compute(long microseconds) {
    const struct timespec nap = {.tv_nsec = microseconds * 1000};
    nanosleep(&nap, NULL);
}

static void exchange(MPI_Comm grid, const int* dimensions, double* faces) {
    MPI_Request requests[2 * FACES];
    for (int face = 0; face < FACES; ++face) {
        int before, after;
        MPI_Cart_shift(grid, face / 2, face % 2 ? 1 : -1, &before, &after);
        const int length = POINTS / dimensions[1 - face / 2];
        MPI_Irecv(faces + face * POINTS, length, MPI_DOUBLE, after, face ^ 1, grid, &requests[face]);
        MPI_Isend(faces + (FACES + face) * POINTS, length, MPI_DOUBLE, after, face, grid, &requests[FACES + face]);
    }
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

static double sum(MPI_Comm world, double value) {
    int rank, ranks;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    for (int distance = 1; distance < ranks; distance *= 2) {
        double other;
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, rank ^ distance, 7, &other, 1, MPI_DOUBLE, rank ^ distance, 7, world,
                     MPI_STATUS_IGNORE);
        value += other;
    }
    return value;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks, dimensions[2] = {0, argc > 1};
    const int periods[2] = {argc == 1, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dimensions);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
    double* faces = calloc(2 * FACES * POINTS, sizeof *faces);
    double norm = 1;
    MPI_Bcast(&norm, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ITERATIONS; ++i) {
        compute(40000 / ranks);
        exchange(grid, dimensions, faces);
        norm = sum(MPI_COMM_WORLD, faces[0]);
        MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_MAX, grid);
    }
    free(faces);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return norm > 0;
}
