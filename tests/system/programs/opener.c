/* Loads MPI while it runs: `opener plugin local|global FILE`, `opener library local|global FILE`. Before that it
   fails to load something, and prints what it is told. Not linked to MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int use_plugin(void* plugin) {
    int (*solve)(int) = (int (*)(int))dlsym(plugin, "solve");
    return solve ? solve(25) : 2;
}

/* Whatever the handle, the calls are those of the library. */
static int use_library(void* handle) {
    int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(handle, "MPI_Init");
    int (*initialized)(int*) = (int (*)(int*))dlsym(handle, "MPI_Initialized");
    int (*finalize)(void) = (int (*)(void))dlsym(handle, "MPI_Finalize");
    int flag = 0;
    if (!init || !initialized || !finalize) return 2;
    init(0, 0);
    for (int i = 0; i < 7; ++i) initialized(&flag);
    puts(dlsym(handle, "MPI_Nothing") ? "found nothing" : dlerror());
    return finalize() || !flag;
}

int main(int argc, char** argv) {
    const char* absent[] = {"/absent/file.so", "libabsent.so.1", "opener.txt"};
    for (int i = 0; i < 3; ++i) {
        errno = 0;
        void* none = dlopen(absent[i], RTLD_NOW);
        const char* message = dlerror();
        printf("%p %s\n", none, message ? message : "nothing");
        printf("%s\n", dlerror() ? "said twice" : "said once");
    }
    printf("%d\n", dlopen(0, RTLD_NOW) != 0);
    const int global = argc > 2 && !strcmp(argv[2], "global");
    void* handle = dlopen(argv[3], RTLD_LAZY | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!handle) {
        puts(dlerror());
        return 3;
    }
    return strcmp(argv[1], "plugin") ? use_library(global ? RTLD_DEFAULT : handle) : use_plugin(handle);
}
