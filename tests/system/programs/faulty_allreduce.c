/* A preloaded library by which every FAULTY_EVERY-th Allreduce of FAULTY_COUNT elements goes wrong on rank 0:
   it starts FAULTY_DELAY_US late, or, with FAULTY_BIT set, ends with one bit of its last element flipped. */
#include <mpi.h>
#include <stdlib.h>

static long setting(const char* name) {
    const char* text = getenv(name);
    return text ? atol(text) : 0;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    static long calls;
    int rank, bytes;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Type_size(type, &bytes);
    const int faulty = rank == 0 && count == setting("FAULTY_COUNT") && ++calls % setting("FAULTY_EVERY") == 0;
    if (faulty) {
        const double end = PMPI_Wtime() + 1e-6 * (double)setting("FAULTY_DELAY_US");
        while (PMPI_Wtime() < end) continue;
    }
    const int error = PMPI_Allreduce(send, receive, count, type, op, comm);
    if (faulty && setting("FAULTY_BIT")) ((char*)receive)[(long)count * bytes - 1] ^= 1;
    return error;
}
