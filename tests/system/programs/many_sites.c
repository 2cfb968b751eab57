/* Calls MPI_Barrier from SITES places, each a call in a line of assembly, twice; and then from one more place. */
#include <mpi.h>

void from_many_places(MPI_Comm);
int (*keep)(MPI_Comm) = MPI_Barrier;

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
__asm__(".text\n.globl from_many_places\n.type from_many_places, @function\nfrom_many_places:\n"
        "push %rbx\nmov %rdi, %rbx\n"
        ".rept " TEXT(SITES) "\nmov %rbx, %rdi\ncall MPI_Barrier@PLT\n.endr\n"
        "pop %rbx\nret\n.size from_many_places, . - from_many_places\n");

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; ++i) from_many_places(MPI_COMM_SELF);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
