/* Preloaded: pages are as large as many kernels for aarch64 have them, so that files are mapped from multiples of 64
   KiB on alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_BYTES = 65536 };

long sysconf(int name) {
    if (name == _SC_PAGESIZE) return PAGE_BYTES;
    return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}

void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (file >= 0 && offset % PAGE_BYTES != 0) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    return (void*)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
