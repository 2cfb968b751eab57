/* A preloaded library whose Iallreduce takes OPERATION_US, which pass by themselves if OFFLOADED is set, and only
   within MPI_Wait if it is not. */
#include <mpi.h>
#include <stdlib.h>

static double operation_s, end_s;
static int under_way, offloaded;

int MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
    operation_s = 1e-6 * atof(getenv("OPERATION_US"));
    offloaded = getenv("OFFLOADED") != NULL;
    under_way = 1;
    *request = MPI_REQUEST_NULL;
    const int error = PMPI_Allreduce(send, receive, count, type, op, comm);
    end_s = PMPI_Wtime() + operation_s;
    return error;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    if (!under_way) return PMPI_Wait(request, status);
    under_way = 0;
    if (!offloaded) end_s = PMPI_Wtime() + operation_s;
    while (PMPI_Wtime() < end_s) continue;
    return MPI_SUCCESS;
}
