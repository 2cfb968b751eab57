#include "profile/process/node.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace waywiser::profile {
namespace {

constexpr int kAttempts = 3;  // The node's collector may be removing the directory at this moment.

/// Names the node's file in the ledger.
/// \return false if the ledger cannot be used
bool name_node_file(int file) {
    Ledger* ledger = map_ledger(file);
    if (ledger == nullptr) return false;
    utsname host{};
    std::uint32_t token = 0;
    bool named = ledger->name[0] != '\0';
    if (!named && uname(&host) == 0 && fill_randomly(&token, sizeof token)) {
        std::snprintf(ledger->name, sizeof ledger->name, "%s-%08x", host.nodename, token);
        named = true;
    }
    munmap(ledger, sizeof *ledger);
    return named;
}

}  // namespace

bool print_path(char (&path)[kPathBytes], const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length > 0 && static_cast<std::size_t>(length) < sizeof path;
}

bool read_file(const char* path, char* text, std::size_t room) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = file < 0 ? -1 : uninterrupted([&] { return read(file, text, room - 1); });
    const int error = errno;
    if (file >= 0) close(file);
    errno = error;
    text[n > 0 ? n : 0] = '\0';
    return n >= 0;
}

bool fill_randomly(void* to, std::size_t bytes) {
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t count = uninterrupted([&] { return read(file, to, bytes); });
    close(file);
    return count == static_cast<ssize_t>(bytes);
}

bool private_directory(const char* directory) {
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) return false;
    struct stat status{};
    return lstat(directory, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 0077U) == 0;
}

int make_state(const char* directory, char (&path)[kPathBytes]) {
    int file = -1;
    if (!print_path(path, "%s/%ld.state", directory, static_cast<long>(getpid()))) return file;
    for (int attempt = 0; attempt < kAttempts && file < 0 && private_directory(directory); ++attempt) {
        file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    return file;
}

int claim_node(const char* directory) {
    char path[kPathBytes];
    if (!print_path(path, "%s/ledger", directory)) return -1;
    for (int attempt = 0; attempt < kAttempts && private_directory(directory); ++attempt) {
        const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) continue;
        struct stat status{};
        const bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
        const bool removed = fstat(file, &status) == 0 && status.st_nlink == 0;
        if (locked && !removed && within_file_limit(sizeof(Ledger)) && posix_fallocate(file, 0, sizeof(Ledger)) == 0 &&
            name_node_file(file)) {
            return file;
        }
        close(file);
        if (!removed) return -1;
    }
    return -1;
}

Ledger* map_ledger(int file) {
    struct stat status{};
    if (fstat(file, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(Ledger))) return nullptr;
    void* at = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? nullptr : static_cast<Ledger*>(at);
}

std::uint64_t take_place(Ledger& ledger, std::uint64_t bytes) {
    return __atomic_fetch_add(&ledger.given_out, bytes, __ATOMIC_RELAXED);
}

std::size_t used_bytes(const char* chunk) {
    std::size_t used = 0;
    while (used + sizeof(state::RecordHeader) <= state::kChunkBytes) {
        const std::uint32_t bytes = reinterpret_cast<const state::RecordHeader*>(chunk + used)->bytes;
        if (bytes == 0 || bytes > state::kChunkBytes - used) break;
        used += bytes;
    }
    return used;
}

bool within_file_limit(std::uint64_t end) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}

bool write_at(int file, const void* data, std::size_t bytes, std::uint64_t offset) {
    if (!within_file_limit(offset + bytes)) return false;
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = uninterrupted([&] { return pwrite(file, at, bytes, static_cast<off_t>(offset)); });
        if (written <= 0) return false;
        at += written;
        offset += static_cast<std::uint64_t>(written);
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

bool sync_parts(const char* run) {
    char path[kPathBytes];
    if (!print_path(path, "%s/parts", run)) return false;
    const int directory = uninterrupted([&] { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (directory < 0) return errno == EACCES;
    // Some file systems cannot sync directories.
    const bool synced = uninterrupted([&] { return fsync(directory); }) == 0 || errno == EINVAL || errno == ENOTSUP;
    close(directory);
    return synced;
}

std::uint64_t start_of(long pid) {
    char path[64];
    char text[1024];
    std::snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!read_file(path, text)) return 0;
    // proc(5): field 2, the name, is in parentheses and may contain any character.
    const char* field = std::strrchr(text, ')');
    if (field == nullptr) return 0;
    field += 2;
    const bool zombie = *field == 'Z' || *field == 'X';
    long threads = 0;
    for (int number = 3; number < 22; ++number) {
        if (number == 20) threads = std::strtol(field, nullptr, 10);
        field = std::strchr(field, ' ');
        if (field == nullptr) return 0;
        ++field;
    }
    // A process whose first thread has ended looks like a zombie while other threads run.
    return zombie && threads <= 1 ? 0 : std::strtoull(field, nullptr, 10);
}

}  // namespace waywiser::profile
