/* Faults in the system calls of a process: the K-th call on a file below FAULTS_DIRECTORY ends the process, fails, or
 * writes half of what it was given. What was written, and what of it was synced, is told in FAULTS_LOG, so that a test
 * knows what a power cut may leave. Preloaded; armed by its environment, or by faults_arm() in a process that forks.
 *
 *   FAULTS_KIND  crash | short | an error's name (once) | an error's name and + (from then on)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NOTHING, CRASH, SHORT, ERROR };

/* What a full disk refuses. */
enum needs_room { NO_ROOM, ROOM };

static enum kind kind;
static int error_number;
static int sticky;
static long at, calls;
static char directory[PATH_MAX];
static int log_file = -1;

#define REAL(name) ((__typeof__(&name))real(#name))

static void* real(const char* name) {
    void* symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) abort();
    return symbol;
}

static int named_error(const char* name) {
    static const struct {
        const char* name;
        int number;
    } errors[] = {{"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"ESTALE", ESTALE}, {"EINTR", EINTR}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        if (strncmp(name, errors[i].name, strlen(errors[i].name)) == 0) return errors[i].number;
    }
    abort();
}

void faults_arm(const char* in, const char* log, const char* fault, long number) {
    snprintf(directory, sizeof directory, "%s", in);
    at = number;
    calls = 0;
    sticky = fault[strlen(fault) - 1] == '+';
    kind = strcmp(fault, "crash") == 0 ? CRASH : strcmp(fault, "short") == 0 ? SHORT : ERROR;
    error_number = kind == ERROR ? named_error(fault) : 0;
    log_file = REAL(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log_file < 0) abort();
}

__attribute__((constructor)) static void arm_by_environment(void) {
    const char* number = getenv("FAULTS_AT");
    if (number == NULL) return;
    faults_arm(getenv("FAULTS_DIRECTORY"), getenv("FAULTS_LOG"), getenv("FAULTS_KIND"), atol(number));
    unsetenv("FAULTS_AT");
}

static void say(const char* format, ...) {
    char line[3 * PATH_MAX];
    va_list given;
    va_start(given, format);
    const int n = vsnprintf(line, sizeof line, format, given);
    va_end(given);
    const int kept = errno;
    if (REAL(write)(log_file, line, (size_t)n) != n) abort();
    errno = kept;
}

static int below(const char* path) {
    const size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* The path of a descriptor; of a removed file with " (deleted)" behind it. */
static int path_of(int descriptor, char* path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t n = readlink(link, path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0 && below(path);
}

static int path_at(int directory, const char* name, char* path) {
    char in[PATH_MAX];
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        if (directory == AT_FDCWD ? getcwd(in, sizeof in) == NULL : (path_of(directory, in), in[0] == '\0')) return 0;
        const char* rest = strncmp(name, "./", 2) == 0 ? name + 2 : name;
        if (snprintf(path, PATH_MAX, strcmp(rest, ".") == 0 ? "%s" : "%s/%s", in, rest) >= PATH_MAX) return 0;
    }
    return below(path);
}

/* Counts a call. Returns 1 if it fails here, with errno. */
static int faulty(const char* call, const char* path, enum needs_room room) {
    ++calls;
    say("call %ld %s %s\n", calls, call, path);
    if (calls < at || (calls > at && !sticky)) return 0;
    if (kind == CRASH) _exit(86);
    if (kind != ERROR) return 0;
    const int full = error_number == ENOSPC || error_number == EDQUOT;
    if (full && room == NO_ROOM) return 0;
    if (error_number == EINTR && calls > at) return 0;
    errno = error_number;
    return 1;
}

static size_t cut(size_t bytes) {
    return log_file >= 0 && kind == SHORT && calls == at && bytes > 1 ? bytes / 2 : bytes;
}

static int open_at(const char* call, int directory, const char* name, int flags, mode_t mode) {
    char path[PATH_MAX];
    const int makes = (flags & O_CREAT) != 0;
    if (log_file >= 0 && path_at(directory, name, path)) {
        if (faulty(call, path, makes ? ROOM : NO_ROOM)) return -1;
        const int opened = REAL(openat)(directory, name, flags, mode);
        if (opened >= 0 && makes) say("made %s\n", path);
        return opened;
    }
    return REAL(openat)(directory, name, flags, mode);
}

#define MODE_OF(flags)                              \
    mode_t mode = 0;                                \
    if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
        va_list more;                               \
        va_start(more, flags);                      \
        mode = va_arg(more, mode_t);                \
        va_end(more);                               \
    }

int open(const char* name, int flags, ...) {
    MODE_OF(flags)
    return open_at("open", AT_FDCWD, name, flags, mode);
}
int open64(const char* name, int flags, ...) {
    MODE_OF(flags)
    return open_at("open", AT_FDCWD, name, flags, mode);
}
int openat(int directory, const char* name, int flags, ...) {
    MODE_OF(flags)
    return log_file < 0 ? REAL(openat64)(directory, name, flags, mode)
                        : open_at("openat", directory, name, flags, mode);
}
int openat64(int directory, const char* name, int flags, ...) {
    MODE_OF(flags)
    return open_at("openat", directory, name, flags, mode);
}
int creat(const char* name, mode_t mode) {
    return open_at("creat", AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

static FILE* stream_of(const char* name, const char* mode) {
    char path[PATH_MAX];
    const int makes = mode[0] != 'r';
    const int ours = log_file >= 0 && path_at(AT_FDCWD, name, path);
    if (ours && faulty("fopen", path, makes ? ROOM : NO_ROOM)) return NULL;
    FILE* stream = REAL(fopen)(name, mode);
    if (ours && makes && stream != NULL) say("made %s\n", path);
    return stream;
}
FILE* fopen(const char* name, const char* mode) { return stream_of(name, mode); }
FILE* fopen64(const char* name, const char* mode) { return stream_of(name, mode); }

#define ON_DESCRIPTOR(name, file, room) \
    char path_[PATH_MAX];               \
    if (log_file >= 0 && (file) != log_file && path_of(file, path_) && faulty(name, path_, room)) return -1;

ssize_t write(int file, const void* data, size_t bytes) {
    ON_DESCRIPTOR("write", file, ROOM)
    return REAL(write)(file, data, cut(bytes));
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
    ON_DESCRIPTOR("pwrite", file, ROOM)
    return REAL(pwrite)(file, data, cut(bytes), offset);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off_t offset) {
    ON_DESCRIPTOR("pwrite", file, ROOM)
    return REAL(pwrite)(file, data, cut(bytes), offset);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
    ON_DESCRIPTOR("writev", file, ROOM)
    return REAL(writev)(file, parts, kind == SHORT && calls == at && count > 1 ? 1 : count);
}
ssize_t sendfile(int to, int from, off_t* offset, size_t bytes) {
    ON_DESCRIPTOR("sendfile", to, ROOM)
    return REAL(sendfile)(to, from, offset, cut(bytes));
}
ssize_t sendfile64(int to, int from, off_t* offset, size_t bytes) {
    ON_DESCRIPTOR("sendfile", to, ROOM)
    return REAL(sendfile)(to, from, offset, cut(bytes));
}
ssize_t copy_file_range(int from, off_t* from_at, int to, off_t* to_at, size_t bytes, unsigned flags) {
    ON_DESCRIPTOR("copy_file_range", to, ROOM)
    return REAL(copy_file_range)(from, from_at, to, to_at, cut(bytes), flags);
}
ssize_t read(int file, void* data, size_t bytes) {
    ON_DESCRIPTOR("read", file, NO_ROOM)
    return REAL(read)(file, data, cut(bytes));
}
ssize_t pread(int file, void* data, size_t bytes, off_t offset) {
    ON_DESCRIPTOR("pread", file, NO_ROOM)
    return REAL(pread)(file, data, cut(bytes), offset);
}
ssize_t pread64(int file, void* data, size_t bytes, off_t offset) {
    ON_DESCRIPTOR("pread", file, NO_ROOM)
    return REAL(pread)(file, data, cut(bytes), offset);
}
int ftruncate(int file, off_t bytes) {
    ON_DESCRIPTOR("ftruncate", file, ROOM)
    return REAL(ftruncate)(file, bytes);
}
int ftruncate64(int file, off_t bytes) {
    ON_DESCRIPTOR("ftruncate", file, ROOM)
    return REAL(ftruncate)(file, bytes);
}
int posix_fallocate(int file, off_t offset, off_t bytes) {
    char path[PATH_MAX];
    if (log_file >= 0 && path_of(file, path) && faulty("fallocate", path, ROOM)) return errno;
    return REAL(posix_fallocate)(file, offset, bytes);
}
int flock(int file, int operation) {
    ON_DESCRIPTOR("flock", file, NO_ROOM)
    return REAL(flock)(file, operation);
}

/* A collector closes all that it has not opened. */
int close(int file) { return log_file >= 0 && file == log_file ? 0 : REAL(close)(file); }

/* Another name for what was synced, under which it is found where its own has gone. */
static void keep(const char* path, const struct stat* status) {
    char kept[PATH_MAX];
    if (snprintf(kept, sizeof kept, "%s.kept/%lu", directory, (unsigned long)status->st_ino) >= (int)sizeof kept)
        abort();
    if (REAL(link)(path, kept) != 0 && errno != EEXIST) abort();
}

static int sync_with(const char* call, int (*function)(int), int file) {
    char path[PATH_MAX];
    const int ours = log_file >= 0 && path_of(file, path);
    if (ours && faulty(call, path, ROOM)) return -1;
    const int result = function(file);
    if (ours && result == 0) {
        struct stat status;
        fstat(file, &status);
        const int is_file = S_ISREG(status.st_mode);
        say("synced %s %lld %lu\n", path, is_file ? (long long)status.st_size : -1LL, (unsigned long)status.st_ino);
        if (is_file) keep(path, &status);
    }
    return result;
}
int fsync(int file) { return sync_with("fsync", REAL(fsync), file); }
int fdatasync(int file) { return sync_with("fdatasync", REAL(fdatasync), file); }

static int rename_at(const char* call, int from_directory, const char* from, int to_directory, const char* to,
                     unsigned flags) {
    char source[PATH_MAX];
    char target[PATH_MAX];
    const int ours = log_file >= 0 && path_at(to_directory, to, target) + path_at(from_directory, from, source) > 0;
    if (ours && faulty(call, target, ROOM)) return -1;
    const int result = REAL(renameat2)(from_directory, from, to_directory, to, flags);
    if (ours && result == 0) say("renamed %s %s\n", source, target);
    return result;
}
int rename(const char* from, const char* to) { return rename_at("rename", AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char* from, int b, const char* to) { return rename_at("renameat", a, from, b, to, 0); }
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
    return log_file < 0 ? REAL(renameat2)(a, from, b, to, flags) : rename_at("renameat2", a, from, b, to, flags);
}

static int remove_at(const char* call, int directory, const char* name, int flags) {
    char path[PATH_MAX];
    const int ours = log_file >= 0 && path_at(directory, name, path);
    if (ours && faulty(call, path, NO_ROOM)) return -1;
    const int result = REAL(unlinkat)(directory, name, flags);
    if (ours && result == 0) say("removed %s\n", path);
    return result;
}
int unlink(const char* name) { return remove_at("unlink", AT_FDCWD, name, 0); }
int unlinkat(int directory, const char* name, int flags) { return remove_at("unlinkat", directory, name, flags); }
int rmdir(const char* name) { return remove_at("rmdir", AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char* name) {
    const int result = remove_at("unlink", AT_FDCWD, name, 0);
    return result != 0 && errno == EISDIR ? remove_at("rmdir", AT_FDCWD, name, AT_REMOVEDIR) : result;
}

static int make_at(const char* call, int directory, const char* name, mode_t mode) {
    char path[PATH_MAX];
    const int ours = log_file >= 0 && path_at(directory, name, path);
    if (ours && faulty(call, path, ROOM)) return -1;
    const int result = REAL(mkdirat)(directory, name, mode);
    if (ours && result == 0) say("made %s\n", path);
    return result;
}
int mkdir(const char* name, mode_t mode) { return make_at("mkdir", AT_FDCWD, name, mode); }
int mkdirat(int directory, const char* name, mode_t mode) { return make_at("mkdirat", directory, name, mode); }

int link(const char* from, const char* to) {
    char path[PATH_MAX];
    if (log_file >= 0 && path_at(AT_FDCWD, to, path) && faulty("link", path, ROOM)) return -1;
    return REAL(link)(from, to);
}
