// Transpositions of a volume in pencils, within the rows and the columns of a grid of ranks, and sums by node: regular
// at any power of two.
// usage: pencils [slabs]
#include <mpi.h>
#include <stdlib.h>

enum { POINTS = 64, ITERATIONS = 3 };

typedef struct {
    MPI_Comm communicator;
    int ranks, rank;
} Team;

static Team team_of(MPI_Comm communicator) {
    Team team = {.communicator = communicator};
    MPI_Comm_size(communicator, &team.ranks);
    MPI_Comm_rank(communicator, &team.rank);
    return team;
}

static Team along(MPI_Comm grid, int rows, int columns) {
    const int kept[2] = {rows, columns};
    MPI_Comm communicator;
    MPI_Cart_sub(grid, kept, &communicator);
    return team_of(communicator);
}

/// Exchanges parts of a pencil with all other members; the own part stays where it is.
static void transpose(Team team, int points, double* from, double* to) {
    int* counts = malloc(2 * (size_t)team.ranks * sizeof *counts);
    int* begins = counts + team.ranks;
    for (int i = 0; i < team.ranks; ++i) {
        counts[i] = i == team.rank ? 0 : points / team.ranks;
        begins[i] = i * (points / team.ranks);
    }
    MPI_Alltoallv(from, counts, begins, MPI_DOUBLE, to, counts, begins, MPI_DOUBLE, team.communicator);
    free(counts);
}

/// Passes the end of a part to the next member, which has it as the halo before its own part.
static void pass_on(Team team, double* value) {
    const int before = team.rank > 0 ? team.rank - 1 : MPI_PROC_NULL;
    const int after = team.rank + 1 < team.ranks ? team.rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(value, 1, MPI_DOUBLE, after, 5, value + 1, 1, MPI_DOUBLE, before, 5, team.communicator,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks, dimensions[2] = {0, 0};
    const int periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dimensions);
    MPI_Comm grid, all, node;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
    const Team row = along(grid, 0, 1);
    const Team column = along(grid, 1, 0);
    MPI_Comm_dup(grid, &all);
    const Team slabs = argc > 1 ? team_of(all) : row;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    const int points = POINTS * POINTS * POINTS / ranks;
    double* from = calloc(2 * (size_t)points, sizeof *from);
    double sizes[2] = {1, 2};
    MPI_Bcast(sizes, 2, MPI_DOUBLE, 0, slabs.communicator);
    for (int i = 0; i < ITERATIONS; ++i) {
        transpose(slabs, points, from, from + points);
        MPI_Alltoall(from, points / column.ranks, MPI_DOUBLE, from + points, points / column.ranks, MPI_DOUBLE,
                     column.communicator);
        pass_on(column, sizes);
        MPI_Allgather(sizes, 1, MPI_DOUBLE, from, 1, MPI_DOUBLE, row.communicator);
        MPI_Allreduce(MPI_IN_PLACE, sizes, 1, MPI_DOUBLE, MPI_SUM, node);
    }
    free(from);
    MPI_Finalize();
    return 0;
}
