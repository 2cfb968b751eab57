/* A program of MPI Sessions: it never calls MPI_Init. */
#include <mpi.h>

int main(void) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_finalize(&session);
    return 0;
}
