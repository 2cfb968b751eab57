/* Ten MPI_Allreduce of as many bytes as the argument says, and nothing else. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int bytes = argc > 1 ? atoi(argv[1]) : 8;
    char* send = calloc((size_t)bytes, 1);
    char* receive = calloc((size_t)bytes, 1);
    for (int round = 0; round < 10; ++round) MPI_Allreduce(send, receive, bytes, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
    free(send);
    free(receive);
    MPI_Finalize();
    return 0;
}
