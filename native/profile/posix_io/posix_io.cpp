#include "profile/posix_io/posix_io.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "profile/process/clock.hpp"

// The symbol is weak: if the profiler is not loaded, this library only forwards calls.
#pragma weak waywiser_record_io

namespace waywiser::profile {
namespace {

// clang-format off
#define WAYWISER_IO_SYMBOLS(X)                                                                     \
    X(open) X(open64) X(__open_2) X(__open64_2) X(openat) X(openat64) X(__openat_2)                \
    X(__openat64_2) X(creat) X(creat64) X(close) X(read) X(__read_chk) X(write) X(pread)           \
    X(pread64) X(__pread_chk) X(__pread64_chk) X(pwrite) X(pwrite64) X(readv) X(writev) X(preadv)  \
    X(preadv64) X(pwritev) X(pwritev64) X(fsync) X(fdatasync) X(fopen) X(fopen64) X(fclose)        \
    X(fread) X(fread_unlocked) X(__fread_chk) X(fwrite) X(fwrite_unlocked) X(fflush) X(fgets)      \
    X(__fgets_chk) X(fputs) X(vfprintf) X(__vfprintf_chk) X(getline) X(__getdelim) X(dup2) X(dup3) \
    X(close_range)
// clang-format on

enum class Symbol : unsigned {
#define X(name) k_##name,
    WAYWISER_IO_SYMBOLS(X)
#undef X
        count
};

constexpr const char* kSymbols[] = {
#define X(name) #name,
    WAYWISER_IO_SYMBOLS(X)
#undef X
};

constinit std::atomic<void*> definitions[static_cast<unsigned>(Symbol::count)] = {};

void* definition(unsigned symbol) {
    void* known = definitions[symbol].load(std::memory_order_relaxed);
    if (__builtin_expect(known != nullptr, 1)) return known;
    known = dlsym(RTLD_NEXT, kSymbols[symbol]);
    definitions[symbol].store(known, std::memory_order_relaxed);
    return known;
}

/// Finds all definitions at once, since dlsym is not async-signal-safe.
__attribute__((constructor)) void find_definitions() {
    for (unsigned i = 0; i < static_cast<unsigned>(Symbol::count); ++i) definition(i);
}

/// libc's function, with the type of the calling wrapper.
template <class Function>
Function next(Symbol symbol, Function) {
    return reinterpret_cast<Function>(definition(static_cast<unsigned>(symbol)));
}

class KeepErrno {
public:
    KeepErrno() : value_(errno) {}
    ~KeepErrno() { errno = value_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

private:
    int value_;
};

enum class Kind : unsigned char { unknown, file, other };

constexpr int kDescriptors = 4096;
constinit std::atomic<Kind> kinds[kDescriptors] = {};

/// Kind of the descriptor. Regular files count, except in /proc and /sys, where nothing is read from a disk.
Kind ask_kind(int descriptor) {
    const KeepErrno keep;
    struct stat status{};
    struct statfs system{};
    if (fstat(descriptor, &status) != 0) return Kind::unknown;
    if (!S_ISREG(status.st_mode) || fstatfs(descriptor, &system) != 0) return Kind::other;
    return system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC ? Kind::other : Kind::file;
}

void remember(int descriptor, Kind kind) {
    if (descriptor >= 0 && descriptor < kDescriptors) kinds[descriptor].store(kind, std::memory_order_relaxed);
}

bool is_file(int descriptor) {
    if (descriptor < 0) return false;
    if (descriptor >= kDescriptors) return ask_kind(descriptor) == Kind::file;
    Kind kind = kinds[descriptor].load(std::memory_order_relaxed);
    if (kind == Kind::unknown) {
        kind = ask_kind(descriptor);
        remember(descriptor, kind);
    }
    return kind == Kind::file;
}

int descriptor_of(FILE* stream) {
    const KeepErrno keep;
    return stream == nullptr ? -1 : fileno_unlocked(stream);
}

void record(Io call, std::uint64_t begin, std::uint64_t bytes) {
    if (waywiser_record_io != nullptr) waywiser_record_io(static_cast<unsigned>(call), begin, ticks(), bytes);
}

std::uint64_t at_least_0(long bytes) { return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0; }

/// A call on a descriptor that returns the bytes moved, or 0 or -1.
template <class Function, class... Arguments>
auto transfer(Io call, Function function, int descriptor, Arguments... arguments) {
    if (!is_file(descriptor)) return function(descriptor, arguments...);
    const std::uint64_t begin = ticks();
    const auto result = function(descriptor, arguments...);
    record(call, begin, at_least_0(result));
    return result;
}

/// A call that opens a file. The descriptor's former kind is discarded.
template <class Function, class... Arguments>
int open_by(Io call, Function function, Arguments... arguments) {
    const std::uint64_t begin = ticks();
    const int descriptor = function(arguments...);
    if (descriptor < 0) return descriptor;
    remember(descriptor, Kind::unknown);
    if (is_file(descriptor)) record(call, begin, 0);
    return descriptor;
}

FILE* open_stream_by(FILE* (*function)(const char*, const char*), const char* path, const char* mode) {
    const std::uint64_t begin = ticks();
    FILE* stream = function(path, mode);
    if (stream == nullptr) return stream;
    const int descriptor = descriptor_of(stream);
    remember(descriptor, Kind::unknown);
    if (is_file(descriptor)) record(Io::fopen, begin, 0);
    return stream;
}

/// A call on a stream; `bytes` computes from its result how many bytes were moved.
template <class Call, class Bytes>
auto stream_by(Io call, FILE* stream, Call run, Bytes bytes) {
    if (!is_file(descriptor_of(stream))) return run();
    const std::uint64_t begin = ticks();
    const auto result = run();
    record(call, begin, bytes(result));
    return result;
}

/// A call on a stream that returns how many items of a size were moved.
template <class Call>
size_t items_by(Io call, FILE* stream, size_t size, Call run) {
    return stream_by(call, stream, run, [&](size_t items) { return items * size; });
}

std::uint64_t length_of(const char* text) { return text == nullptr ? 0 : std::strlen(text); }

/// open(2): the mode argument exists only if a file may be created.
bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace
}  // namespace waywiser::profile

using namespace waywiser::profile;

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {

int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __fprintf_chk(FILE*, int, const char*, ...);
int close_range(unsigned, unsigned, int) noexcept;  // NOLINT(readability-redundant-declaration): new in glibc 2.34

#define NEXT(name) next(Symbol::k_##name, &(name))

// clang-format off
#define WAYWISER_OPEN(name)                                                                        \
    int name(const char* path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                              \
        return open_by(Io::open, NEXT(name), path, flags, mode);                                   \
    }
#define WAYWISER_OPENAT(name)                                                                      \
    int name(int directory, const char* path, int flags, ...) {                                       \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                              \
        return open_by(Io::openat, NEXT(name), directory, path, flags, mode);                         \
    }
// clang-format on

WAYWISER_OPEN(open)
WAYWISER_OPEN(open64)
WAYWISER_OPENAT(openat)
WAYWISER_OPENAT(openat64)

int __open_2(const char* path, int flags) { return open_by(Io::open, NEXT(__open_2), path, flags); }
int __open64_2(const char* path, int flags) { return open_by(Io::open, NEXT(__open64_2), path, flags); }
int __openat_2(int directory, const char* path, int flags) {
    return open_by(Io::openat, NEXT(__openat_2), directory, path, flags);
}
int __openat64_2(int directory, const char* path, int flags) {
    return open_by(Io::openat, NEXT(__openat64_2), directory, path, flags);
}
int creat(const char* path, mode_t mode) { return open_by(Io::creat, NEXT(creat), path, mode); }
int creat64(const char* path, mode_t mode) { return open_by(Io::creat, NEXT(creat64), path, mode); }

/// The descriptor's kind is discarded before the call, since another thread may get the number at once.
int close(int descriptor) {
    const auto function = NEXT(close);
    if (!is_file(descriptor)) {
        remember(descriptor, Kind::unknown);
        return function(descriptor);
    }
    remember(descriptor, Kind::unknown);
    const std::uint64_t begin = ticks();
    const int result = function(descriptor);
    record(Io::close, begin, 0);
    return result;
}

int dup2(int from, int to) noexcept {
    remember(to, Kind::unknown);
    const int result = NEXT(dup2)(from, to);
    remember(to, Kind::unknown);
    return result;
}

int dup3(int from, int to, int flags) noexcept {
    remember(to, Kind::unknown);
    const int result = NEXT(dup3)(from, to, flags);
    remember(to, Kind::unknown);
    return result;
}

/// glibc has this function since 2.34; a program may test whether it exists.
int close_range(unsigned first, unsigned last, int flags) noexcept {
    const auto function = NEXT(close_range);
    for (unsigned i = first; i <= last && i < kDescriptors; ++i) remember(static_cast<int>(i), Kind::unknown);
    if (function != nullptr) return function(first, last, flags);
    errno = ENOSYS;
    return -1;
}

ssize_t read(int file, void* data, size_t bytes) { return transfer(Io::read, NEXT(read), file, data, bytes); }
ssize_t __read_chk(int file, void* data, size_t bytes, size_t room) {
    return transfer(Io::read, NEXT(__read_chk), file, data, bytes, room);
}
ssize_t write(int file, const void* data, size_t bytes) { return transfer(Io::write, NEXT(write), file, data, bytes); }
ssize_t pread(int file, void* data, size_t bytes, off_t at) {
    return transfer(Io::pread, NEXT(pread), file, data, bytes, at);
}
ssize_t pread64(int file, void* data, size_t bytes, off64_t at) {
    return transfer(Io::pread, NEXT(pread64), file, data, bytes, at);
}
ssize_t __pread_chk(int file, void* data, size_t bytes, off_t at, size_t room) {
    return transfer(Io::pread, NEXT(__pread_chk), file, data, bytes, at, room);
}
ssize_t __pread64_chk(int file, void* data, size_t bytes, off64_t at, size_t room) {
    return transfer(Io::pread, NEXT(__pread64_chk), file, data, bytes, at, room);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
    return transfer(Io::pwrite, NEXT(pwrite), file, data, bytes, at);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
    return transfer(Io::pwrite, NEXT(pwrite64), file, data, bytes, at);
}
ssize_t readv(int file, const iovec* parts, int n) { return transfer(Io::readv, NEXT(readv), file, parts, n); }
ssize_t writev(int file, const iovec* parts, int n) { return transfer(Io::writev, NEXT(writev), file, parts, n); }
ssize_t preadv(int file, const iovec* parts, int n, off_t at) {
    return transfer(Io::preadv, NEXT(preadv), file, parts, n, at);
}
ssize_t preadv64(int file, const iovec* parts, int n, off64_t at) {
    return transfer(Io::preadv, NEXT(preadv64), file, parts, n, at);
}
ssize_t pwritev(int file, const iovec* parts, int n, off_t at) {
    return transfer(Io::pwritev, NEXT(pwritev), file, parts, n, at);
}
ssize_t pwritev64(int file, const iovec* parts, int n, off64_t at) {
    return transfer(Io::pwritev, NEXT(pwritev64), file, parts, n, at);
}
int fsync(int file) { return transfer(Io::fsync, NEXT(fsync), file); }
int fdatasync(int file) { return transfer(Io::fdatasync, NEXT(fdatasync), file); }

FILE* fopen(const char* path, const char* mode) { return open_stream_by(NEXT(fopen), path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream_by(NEXT(fopen64), path, mode); }

int fclose(FILE* stream) {
    const auto function = NEXT(fclose);
    const int descriptor = descriptor_of(stream);
    const bool counts = is_file(descriptor);
    remember(descriptor, Kind::unknown);
    const std::uint64_t begin = ticks();
    const int result = function(stream);
    if (counts) record(Io::fclose, begin, 0);
    return result;
}

size_t fread(void* data, size_t size, size_t n, FILE* stream) {
    return items_by(Io::fread, stream, size, [&] { return NEXT(fread)(data, size, n, stream); });
}
size_t fread_unlocked(void* data, size_t size, size_t n, FILE* stream) {
    return items_by(Io::fread, stream, size, [&] { return NEXT(fread_unlocked)(data, size, n, stream); });
}
size_t __fread_chk(void* data, size_t room, size_t size, size_t n, FILE* stream) {
    return items_by(Io::fread, stream, size, [&] { return NEXT(__fread_chk)(data, room, size, n, stream); });
}
size_t fwrite(const void* data, size_t size, size_t n, FILE* stream) {
    return items_by(Io::fwrite, stream, size, [&] { return NEXT(fwrite)(data, size, n, stream); });
}
size_t fwrite_unlocked(const void* data, size_t size, size_t n, FILE* stream) {
    return items_by(Io::fwrite, stream, size, [&] { return NEXT(fwrite_unlocked)(data, size, n, stream); });
}
int fflush(FILE* stream) {
    return stream_by(Io::fflush, stream, [&] { return NEXT(fflush)(stream); }, [](int) { return std::uint64_t{0}; });
}
char* fgets(char* line, int room, FILE* stream) {
    return stream_by(Io::fgets, stream, [&] { return NEXT(fgets)(line, room, stream); }, length_of);
}
char* __fgets_chk(char* line, size_t size, int room, FILE* stream) {
    return stream_by(Io::fgets, stream, [&] { return NEXT(__fgets_chk)(line, size, room, stream); }, length_of);
}
int fputs(const char* text, FILE* stream) {
    return stream_by(
        Io::fputs, stream, [&] { return NEXT(fputs)(text, stream); },
        [&](int result) { return result < 0 ? 0 : length_of(text); });
}
int vfprintf(FILE* stream, const char* format, va_list values) {
    return stream_by(Io::fprintf, stream, [&] { return NEXT(vfprintf)(stream, format, values); }, at_least_0);
}
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list values) {
    return stream_by(
        Io::fprintf, stream, [&] { return NEXT(__vfprintf_chk)(stream, flag, format, values); }, at_least_0);
}
int fprintf(FILE* stream, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int result = vfprintf(stream, format, values);
    va_end(values);
    return result;
}
int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int result = __vfprintf_chk(stream, flag, format, values);
    va_end(values);
    return result;
}
ssize_t getline(char** line, size_t* room, FILE* stream) {
    return stream_by(Io::getline, stream, [&] { return NEXT(getline)(line, room, stream); }, at_least_0);
}
/// libc's header redirects getline and getdelim here.
ssize_t __getdelim(char** line, size_t* room, int delimiter, FILE* stream) {
    return stream_by(Io::getline, stream, [&] { return NEXT(__getdelim)(line, room, delimiter, stream); }, at_least_0);
}

}  // extern "C"
#pragma GCC visibility pop
