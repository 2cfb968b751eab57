/// Replacements for functions of newer C libraries that the static C++ runtime calls, so that the bindings load where
/// glibc is 2.17 (RHEL 7). See native/profile/preload/old_glibc.hpp.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__GLIBC__) && defined(__x86_64__)
#define WAYWISER_FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define WAYWISER_FIRST_GLIBC "GLIBC_2.17"
#endif

#ifdef WAYWISER_FIRST_GLIBC

__asm__(".symver first_pthread_once,pthread_once@" WAYWISER_FIRST_GLIBC);
__asm__(".symver first_pthread_create,pthread_create@" WAYWISER_FIRST_GLIBC);
__asm__(".symver first_pthread_join,pthread_join@" WAYWISER_FIRST_GLIBC);
__asm__(".symver first_pthread_key_create,pthread_key_create@" WAYWISER_FIRST_GLIBC);

extern "C" {

int first_pthread_once(pthread_once_t* control, void (*routine)());
int first_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument);
int first_pthread_join(pthread_t thread, void** result);
int first_pthread_key_create(pthread_key_t* key, void (*destroy)(void*));

/// Tells the runtime whether it may omit atomic operations; 0 (never) is always correct.
char __libc_single_threaded = 0;

int pthread_once(pthread_once_t* control, void (*routine)()) { return first_pthread_once(control, routine); }

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
    return first_pthread_create(thread, attributes, routine, argument);
}

int pthread_join(pthread_t thread, void** result) { return first_pthread_join(thread, result); }

int __pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) { return first_pthread_key_create(key, destroy); }

int fstat64(int file, struct stat64* status) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, file, "", status, AT_EMPTY_PATH));
}

int fstat(int file, struct stat* status) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, file, "", status, AT_EMPTY_PATH));
}

int stat(const char* path, struct stat* status) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}

}  // extern "C"

#endif
