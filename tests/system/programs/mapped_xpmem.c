/* A preloaded library in whose MPI processes, once they have called MPI_Init, XPMEM's device looks mapped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef FILE* Open(const char*, const char*);

static FILE* instead(const char* name, const char* path, const char* mode) {
    int initialized = 0;
    if (strcmp(path, "/proc/self/maps") == 0 && strcmp(program_invocation_short_name, "ww-mpibench") == 0) {
        MPI_Initialized(&initialized);
    }
    if (!initialized) return ((Open*)dlsym(RTLD_NEXT, name))(path, mode);
    FILE* file = tmpfile();
    fputs("7f0000000000-7f0000100000 rw-s 00000000 00:05 42    /dev/xpmem\n", file);
    rewind(file);
    return file;
}

FILE* fopen(const char* path, const char* mode) { return instead("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return instead("fopen64", path, mode); }
