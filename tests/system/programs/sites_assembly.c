/* A function in assembly that calls MPI, with a symbol but without a size. */
#include <mpi.h>

void from_assembly(MPI_Comm);
#ifdef MAIN
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    from_assembly(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
#else
int (*keep)(MPI_Comm) = MPI_Barrier;
__asm__(
    ".text\n.globl from_assembly\n.type from_assembly, @function\nfrom_assembly:\n"
    "sub $8, %rsp\ncall MPI_Barrier@PLT\nadd $8, %rsp\nret\n");
#endif
