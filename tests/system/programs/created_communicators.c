/* A preloaded library that says in the end how many communicators rank 0 has made. */
#include <mpi.h>
#include <stdio.h>

static int count;

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
    ++count;
    return PMPI_Comm_split(comm, color, key, result);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
    ++count;
    return PMPI_Comm_split_type(comm, type, key, info, result);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
    ++count;
    return PMPI_Comm_dup(comm, result);
}

int MPI_Finalize(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("communicators: %d\n", count);
    return PMPI_Finalize();
}
