/* A program for strange_mpi.c. */
int MPI_Init(int*, char***);
int MPI_Finalize(void);
int MPI_Barrier(const char* comm);
int MPI_Send(const void* buffer, int count, const char* datatype, int destination, int tag, const char* comm);

int main(int argc, char** argv) {
    int failed = MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; ++i) failed += MPI_Barrier("the world");
    for (int i = 0; i < 3; ++i) failed += MPI_Send(&failed, 1, "int", 0, 0, "the world");
    return failed + MPI_Finalize();
}
