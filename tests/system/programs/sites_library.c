/* A shared library that calls MPI itself; part of sites.c with LIBRARY. */
#include <mpi.h>

void in_library(void) {
    for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD); /* in_library: 5 MPI_Barrier */
    __asm__ volatile("");
}
