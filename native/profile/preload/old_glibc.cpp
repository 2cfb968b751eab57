/// Functions that glibc exports only since 2.33; earlier versions inlined them from a static part.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

int fstat(int file, struct stat* status) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, file, "", status, AT_EMPTY_PATH));
}

int lstat(const char* path, struct stat* status) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}

}  // extern "C"
