/* A library that is stripped: MPI is called by a function that keeps its name, and by one that lies
   behind a function which does nothing and loses its own. */
#include <mpi.h>

#ifdef MAIN
void visible(void);
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    visible();
    MPI_Finalize();
    return 0;
}
#else
__attribute__((noinline)) int calls_nothing(void) { return 1; }
static __attribute__((noinline)) void hidden(void) {
    for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
}
void visible(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    hidden();
}
#endif
