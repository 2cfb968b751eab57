/* Collectives in phases of the program; stages.F90 is the same in Fortran. For 3 ranks. */
#include <mpi.h>

int main(int argc, char** argv) {
    int rank, in[6], out[6] = {1, 2, 3, 4, 5, 6};
    MPI_Comm reversed;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int round = 0; round < 3; ++round) {
        MPI_Pcontrol(2);
        MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(in, 3, MPI_INT, 1, reversed);
        MPI_Pcontrol(-2);
    }
    MPI_Pcontrol(7);
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, 2, reversed);
    MPI_Iallreduce(out, in, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, out, 6, MPI_INT, MPI_SUM, reversed);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&reversed);
    return MPI_Finalize();
}
