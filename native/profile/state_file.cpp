#include "profile/state_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace waywiser::profile {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line: no two threads' records share one

/// A folder that belongs to this user alone; others cannot plant links in it.
bool private_directory(const char* directory) {
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) return false;
    struct stat status{};
    return lstat(directory, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 0077U) == 0;
}

/// Maps a part of `file`, which grows to hold it, or memory without a file.
bool map(std::size_t bytes, std::size_t offset, int file, void** at) {
    if (file < 0) {
        *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else {
        const auto position = static_cast<off_t>(offset);
        if (posix_fallocate(file, position, static_cast<off_t>(bytes)) != 0) return false;
        *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, position);
    }
    return *at != MAP_FAILED;
}

bool write_all(int file, const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = write(file, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

/// The state's own file, or -1 if its name now leads elsewhere (the program may have changed its
/// root, or removed the file).
int StateFile::reopen() const {
    const int file = named_ ? ::open(path_, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    struct stat status{};
    if (file >= 0 && (fstat(file, &status) != 0 || status.st_ino != inode_)) {
        close(file);
        return -1;
    }
    return file;
}

bool StateFile::open(const char* directory) {
    // More than once: another rank of this node may just be removing the folder that it left empty.
    int file = -1;
    for (int attempt = 0; attempt < 3 && file < 0 && directory != nullptr; ++attempt) {
        if (!private_directory(directory)) break;
        std::snprintf(path_, sizeof path_, "%s/%ld.state", directory, static_cast<long>(getpid()));
        file = ::open(path_, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    void* at = nullptr;
    struct stat status{};
    named_ = file >= 0 && fstat(file, &status) == 0 && map(state::kHeaderBytes, 0, file, &at);
    inode_ = status.st_ino;
    if (file >= 0) close(file);
    if (file >= 0 && !named_) unlink(path_);
    if (!named_ && !map(state::kHeaderBytes, 0, -1, &at)) return false;
    header_ = static_cast<state::Header*>(at);
    std::memcpy(header_->magic, state::kMagic, sizeof state::kMagic);
    header_->header_bytes = state::kHeaderBytes;
    header_->chunk_bytes = state::kChunkBytes;
    return true;
}

bool StateFile::grow() {
    const std::uint64_t n = header_->chunks;
    if (n == kMaxChunks) return false;
    void* at = nullptr;
    const int file = reopen();
    const std::size_t offset = state::kHeaderBytes + n * state::kChunkBytes;
    bool mapped = file >= 0 && map(state::kChunkBytes, offset, file, &at);
    if (file >= 0) close(file);
    // Where the file does not grow, memory does: it is saved with the rest when the program ends.
    mapped = mapped || map(state::kChunkBytes, 0, -1, &at);
    if (!mapped) return false;
    chunks_[n] = static_cast<char*>(at);
    used_ = 0;
    __atomic_store_n(&header_->chunks, n + 1, __ATOMIC_RELEASE);
    return true;
}

void* StateFile::allocate(std::size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ + bytes > state::kChunkBytes && !grow()) return nullptr;
    char* record = chunks_[header_->chunks - 1] + used_;
    used_ += bytes;
    reinterpret_cast<state::RecordHeader*>(record)->bytes = static_cast<std::uint32_t>(bytes);
    return record;
}

void StateFile::publish(state::RecordHeader& record, state::Kind kind) {
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(&record.kind), static_cast<std::uint32_t>(kind),
                     __ATOMIC_RELEASE);
}

bool StateFile::save(const char* path) const {
    char temporary[1100];
    std::snprintf(temporary, sizeof temporary, "%s.tmp", path);
    const int file = ::open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool written = write_all(file, header_, state::kHeaderBytes);
    for (std::uint64_t i = 0; written && i < header_->chunks; ++i) {
        written = write_all(file, chunks_[i], state::kChunkBytes);
    }
    written = close(file) == 0 && written;
    if (written && std::rename(temporary, path) == 0) return true;
    unlink(temporary);
    return false;
}

void StateFile::remove() const {
    if (!named_) return;
    unlink(path_);
    char directory[sizeof path_];
    std::snprintf(directory, sizeof directory, "%s", path_);
    if (char* slash = std::strrchr(directory, '/')) *slash = '\0';
    rmdir(directory);  // works for the node's last rank only
}

}  // namespace waywiser::profile
