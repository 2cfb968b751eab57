/* An MPI library of no known family: its handles are names, and it runs one process alone. */
#include <string.h>

typedef const char* MPI_Comm;

int PMPI_Init(int* argc, char*** argv) { return argc == 0 && argv != 0; }
int PMPI_Finalize(void) { return 0; }
int PMPI_Barrier(MPI_Comm comm) { return strcmp(comm, "the world") != 0; }
int PMPI_Send(const void* buffer, int count, const char* datatype, int destination, int tag, MPI_Comm comm) {
    return !buffer || count < 0 || !datatype || destination < 0 || tag < 0 || PMPI_Barrier(comm);
}
int PMPI_Get_library_version(char* version, int* length) {
    strcpy(version, "Strange MPI 1.0");
    *length = (int)strlen(version);
    return 0;
}
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
int MPI_Send(const void* buffer, int count, const char* datatype, int destination, int tag, MPI_Comm comm) {
    return PMPI_Send(buffer, count, datatype, destination, tag, comm);
}
int MPI_Get_library_version(char* version, int* length) { return PMPI_Get_library_version(version, length); }
