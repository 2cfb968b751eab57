/* Calls MPI_Barrier once from each of so many libraries: DIRECTORY NUMBER. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#ifdef LIBRARY
void call_mpi(void) { MPI_Barrier(MPI_COMM_WORLD); }
#else
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    char path[4096];
    int n = 0;
    sscanf(argv[2], "%d", &n);
    for (int i = 0; i < n; ++i) {
        snprintf(path, sizeof path, "%s/lib%d.so", argv[1], i);
        void* library = dlopen(path, RTLD_NOW);
        void (*call)(void) = library ? (void (*)(void))dlsym(library, "call_mpi") : 0;
        if (call == 0) return 1;
        call();
    }
    MPI_Finalize();
    return 0;
}
#endif
