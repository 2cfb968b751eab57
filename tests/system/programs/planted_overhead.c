/* A preloaded library in which starting to send a message takes SEND_US, and to receive one RECEIVE_US. */
#include <mpi.h>
#include <stdlib.h>

static void spin(const char* setting) {
    const char* us = getenv(setting);
    const double end = PMPI_Wtime() + 1e-6 * (us ? atof(us) : 0);
    while (PMPI_Wtime() < end) continue;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    spin("SEND_US");
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    spin("RECEIVE_US");
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}
