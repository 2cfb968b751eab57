/* An error handler that throws: the exception passes through MPI, and so through the profiler. */
#include <mpi.h>

#include <cstdio>

static void handler(MPI_Comm*, int* code, ...) { throw *code; }

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Errhandler thrower;
    MPI_Comm_create_errhandler(handler, &thrower);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, thrower);
    int caught = 0, value = 0;
    for (int i = 0; i < 3; ++i) {
        try {
            MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_SELF);
        } catch (int) {
            ++caught;
        }
    }
    for (int i = 0; i < 5; ++i) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    std::printf("caught %d\n", caught);
    return MPI_Finalize();
}
