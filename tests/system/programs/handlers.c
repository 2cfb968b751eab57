/* Sends to a rank that is not there, and has a handler of its own for that. */
#include <mpi.h>
#include <stdio.h>

static void handle(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    puts("no such rank");
}

int main(int argc, char** argv) {
    int value = 0;
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&value, 1, MPI_INT, 1000, 0, comm);
    MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    MPI_Send_init(&value, 1, MPI_INT, 1000, 0, comm, &request);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return MPI_Finalize();
}
