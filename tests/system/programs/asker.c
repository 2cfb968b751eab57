/* Asks the loader for names and prints those that it finds: `asker NAME…`. Some names it refers to weakly, as
   programs do that run with and without MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

extern int MPI_Comm_rank_c(void) __attribute__((weak)); /* nobody has it */
extern int MPI_Send_c() __attribute__((weak));
extern int MPI_Session_get_info() __attribute__((weak));
#ifndef WITH_MPI
extern int MPI_Init(int*, char***) __attribute__((weak));
#endif

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (dlsym(RTLD_DEFAULT, argv[i])) puts(argv[i]);
    }
    if (MPI_Comm_rank_c) puts("weakly MPI_Comm_rank_c");
    if (MPI_Send_c) puts("weakly MPI_Send_c");
    if (MPI_Session_get_info) puts("weakly MPI_Session_get_info");
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Finalize();
#else
    if (MPI_Init) puts("weakly MPI_Init");
#endif
}
