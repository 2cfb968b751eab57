/* A preloaded library in which, with SWALLOW set, these calls do nothing, and with SPOILED_BYTE MPI_Recv flips a bit
   of that byte of what it received. */
#include <mpi.h>
#include <stdlib.h>

#define SWALLOWS(name, parameters, arguments) \
    int MPI_##name parameters { return getenv("SWALLOW") ? MPI_SUCCESS : PMPI_##name arguments; }

SWALLOWS(Put, (const void* o, int n, MPI_Datatype t, int r, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w),
         (o, n, t, r, d, m, u, w))
SWALLOWS(Fetch_and_op, (const void* o, void* v, MPI_Datatype t, int r, MPI_Aint d, MPI_Op op, MPI_Win w),
         (o, v, t, r, d, op, w))
SWALLOWS(Compare_and_swap, (const void* o, const void* c, void* v, MPI_Datatype t, int r, MPI_Aint d, MPI_Win w),
         (o, c, v, t, r, d, w))
SWALLOWS(Get_accumulate,
         (const void* o, int n, MPI_Datatype t, void* v, int l, MPI_Datatype s, int r, MPI_Aint d, int m,
          MPI_Datatype u, MPI_Op op, MPI_Win w),
         (o, n, t, v, l, s, r, d, m, u, op, w))
SWALLOWS(Neighbor_allgatherv,
         (const void* s, int n, MPI_Datatype t, void* r, const int c[], const int d[], MPI_Datatype u, MPI_Comm w),
         (s, n, t, r, c, d, u, w))
SWALLOWS(Neighbor_alltoallv,
         (const void* s, const int n[], const int e[], MPI_Datatype t, void* r, const int c[], const int d[],
          MPI_Datatype u, MPI_Comm w),
         (s, n, e, t, r, c, d, u, w))
SWALLOWS(Neighbor_alltoallw,
         (const void* s, const int n[], const MPI_Aint e[], const MPI_Datatype t[], void* r, const int c[],
          const MPI_Aint d[], const MPI_Datatype u[], MPI_Comm w),
         (s, n, e, t, r, c, d, u, w))

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    const int error = PMPI_Recv(buffer, count, type, source, tag, comm, status);
    const char* byte = getenv("SPOILED_BYTE");
    if (byte && count == 1 && tag < 2) ((char*)buffer)[atol(byte)] ^= 1;
    return error;
}
