/* A preloaded library by which empty messages to rank 0 take DELAY_US longer than its answers, but for the first
 * FIRST of them: there, the answers take longer. */
#include <mpi.h>
#include <stdlib.h>

static int received;

static void delay(void) {
    const double end = PMPI_Wtime() + 1e-6 * atof(getenv("DELAY_US"));
    while (PMPI_Wtime() < end) continue;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    const int error = PMPI_Recv(buffer, count, type, source, tag, comm, status);
    if (count == 0 && ++received > atoi(getenv("FIRST"))) delay();
    return error;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    if (count > 0 && received <= atoi(getenv("FIRST"))) delay();
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}
