/* Asks N times for what is not there, by each kind of poll: `polls N`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const long n = argc > 1 ? atol(argv[1]) : 0;
    int in = 0, out = 1, flag = 0, index = 0, count = 0, found = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    for (long i = 0; i < n; ++i, found += flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    for (long i = 0; i < n; ++i, found += flag) MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
    for (long i = 0; i < n; ++i, found += flag) MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
    for (long i = 0; i < n; ++i, found += count) MPI_Testsome(1, &request, &count, &index, MPI_STATUSES_IGNORE);
    for (long i = 0; i < n; ++i, found += flag) MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    for (flag = 0; !flag; ++count) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("%d found, %d asked\n", found, count);
    return MPI_Finalize();
}
