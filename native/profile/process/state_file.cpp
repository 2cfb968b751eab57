#include "profile/process/state_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace waywiser::profile {
namespace {

constexpr std::size_t kAlignment = 64;  // One cache line: no two threads' records share one.

/// Maps a part of `file`, which grows to hold it, or memory without a file. The part begins within a page if pages are
/// larger than the header, as with the 64 KiB pages of many kernels for aarch64.
bool map(std::size_t bytes, std::size_t offset, int file, void** at) {
    if (file < 0) {
        *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else {
        const std::size_t within_page = offset % static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        if (!within_file_limit(offset + bytes)) return false;
        if (posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) return false;
        void* page = mmap(nullptr, within_page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                          static_cast<off_t>(offset - within_page));
        *at = page == MAP_FAILED ? page : static_cast<char*>(page) + within_page;
    }
    return *at != MAP_FAILED;
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
    const int file =
        directory != nullptr && print_path(directory_, "%s", directory) ? make_state(directory, path_) : -1;
    void* at = nullptr;
    struct stat status{};
    named_ = file >= 0 && fstat(file, &status) == 0 && map(state::kHeaderBytes, 0, file, &at);
    inode_ = status.st_ino;
    if (file >= 0) close(file);
    if (file >= 0 && !named_) unlink(path_);
    if (!named_ && !map(state::kHeaderBytes, 0, -1, &at)) return false;
    header_ = static_cast<state::Header*>(at);
    header_->header_bytes = state::kHeaderBytes;
    header_->chunk_bytes = state::kChunkBytes;
    header_->fields = trace::kRankFields.size();
    return true;
}

void StateFile::announce() {
    std::uint64_t magic = 0;
    static_assert(sizeof magic == sizeof state::kMagic);
    std::memcpy(&magic, state::kMagic, sizeof magic);
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(header_->magic), magic, __ATOMIC_RELEASE);
}

bool StateFile::grow() {
    const std::uint64_t n = header_->chunks;
    if (n == kMaxChunks) return false;
    void* at = nullptr;
    const int file = reopen();
    const std::size_t offset = state::kHeaderBytes + n * state::kChunkBytes;
    bool mapped = file >= 0 && map(state::kChunkBytes, offset, file, &at);
    if (file >= 0) close(file);
    // If the file cannot grow, anonymous memory is used, which is also saved when the program ends.
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

bool StateFile::write_to(int file, std::uint64_t offset, std::uint64_t chunks) const {
    alignas(state::Header) char page[state::kHeaderBytes];
    std::memcpy(page, header_, sizeof page);
    reinterpret_cast<state::Header*>(page)->chunks = chunks;  // Other threads may continue and need more chunks.
    for (std::uint64_t i = 0; i < chunks; ++i) {
        if (!write_at(file, chunks_[i], used_bytes(chunks_[i]), offset + room_bytes(i))) return false;
    }
    return write_at(file, page, sizeof page, offset);
}

bool StateFile::save_with_others(const char* run) const {
    char path[kPathBytes];
    if (!print_path(path, "%s/ledger", directory_)) return false;
    const int shared = ::open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (shared < 0) return false;
    Ledger* ledger = map_ledger(shared);
    close(shared);
    if (ledger == nullptr) return false;
    const bool named = print_path(path, "%s/parts/%s.states", run, ledger->name);
    const int file = named ? ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    bool written = false;
    if (file >= 0) {
        const std::uint64_t chunks = header_->chunks;
        written = write_to(file, take_place(*ledger, room_bytes(chunks)), chunks);
        written = close(file) == 0 && written;
    }
    munmap(ledger, sizeof *ledger);
    return written;
}

bool StateFile::save_alone(const char* run) const {
    char path[kPathBytes];
    char temporary[kPathBytes];
    if (!print_path(path, "%s/parts/%s-%u.state", run, header_->host, header_->pid) ||
        !print_path(temporary, "%s.tmp", path)) {
        return false;
    }
    const int file = ::open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool written = write_to(file, 0, header_->chunks);
    // The live state is removed next, so its copy must be on disk.
    written = written && uninterrupted([&] { return fsync(file); }) == 0;
    written = close(file) == 0 && written;
    if (!written || std::rename(temporary, path) != 0) {
        unlink(temporary);
        return false;
    }
    return sync_parts(run);
}

bool StateFile::save(const char* run) const { return (named_ && save_with_others(run)) || save_alone(run); }

void StateFile::remove() const {
    if (!named_) return;
    unlink(path_);
    // This succeeds for the last process of a node without a ledger; otherwise the collector removes the directory.
    rmdir(directory_);
}

}  // namespace waywiser::profile
