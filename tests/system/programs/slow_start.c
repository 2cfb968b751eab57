/* Preloaded: the process is slow to read who it is in /proc, as on a node whose disk is busy. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    char own[64];
    snprintf(own, sizeof own, "/proc/%d/stat", (int)getpid());
    if (strcmp(path, own) == 0) sleep(2);
    int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}
