/// The file of traced calls is opened anew for each buffer, since a program may close every descriptor that it does not
/// know. Once writing a buffer has failed, no more buffers are written. The trace then consists of the start of the
/// process, without a gap, and of the buffers in the live state.
#include "profile/tracing/calls_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/crc32.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/node.hpp"

namespace waywiser::profile {
namespace {

constinit pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
constinit char path[kPathBytes] = {};
constinit std::uint32_t pid = 0;
constinit std::uint64_t process_start = 0;
constinit std::uint64_t room_bytes_left = 0;
constinit std::atomic<std::uint64_t> closed_by = 0;  ///< TraceStreamRecord::lost_reason; 0: the file is open

/// Appends the whole buffer or nothing.
bool append(int file, const void* header, std::size_t header_bytes, const void* bytes, std::size_t n) {
    struct stat status{};
    if (fstat(file, &status) != 0) return false;
    const auto end = static_cast<std::uint64_t>(status.st_size);
    if (write_at(file, header, header_bytes, end) && write_at(file, bytes, n, end + header_bytes)) return true;
    const int reason = errno;
    (void)!ftruncate(file, status.st_size);
    errno = reason;
    return false;
}

bool write_buffer(const state::TraceStreamRecord& stream) {
    state::CallsHeader header{};
    std::memcpy(header.magic, state::kCallsMagic, sizeof header.magic);
    header.pid = pid;
    header.thread = stream.header.thread;
    header.process_start = process_start;
    header.sequence = stream.sequence;
    header.begin_ticks = stream.begin_ticks;
    header.bytes = stream.used;
    header.checksum = crc32({reinterpret_cast<const char*>(stream.bytes), stream.used});
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool written = append(file, &header, sizeof header, stream.bytes, stream.used);
    const int reason = errno;
    const bool closed = close(file) == 0;
    if (!written) errno = reason;
    return closed && written;
}

}  // namespace

bool name_calls_file(const char* run, const state::Header& process, std::uint64_t limit_bytes) {
    pid = process.pid;
    process_start = process.process_start;
    room_bytes_left = limit_bytes;
    return print_path(path, "%s/parts/%s-%u.calls", run, process.host, process.pid);
}

bool append_calls(const state::TraceStreamRecord& stream) {
    if (closed_by.load(std::memory_order_relaxed) != 0) return false;
    const int errno_of_program = errno;
    const Locked locked(file_lock);
    const std::uint64_t bytes = sizeof(state::CallsHeader) + stream.used;
    errno = 0;
    const bool within_limit = bytes <= room_bytes_left;
    const bool written = within_limit && write_buffer(stream);
    if (written) {
        room_bytes_left -= bytes;
    } else {
        const auto reason = static_cast<std::uint64_t>(errno != 0 ? errno : EFBIG);
        closed_by.store(within_limit ? reason : state::kBeyondLimit, std::memory_order_relaxed);
    }
    errno = errno_of_program;
    return written;
}

std::uint64_t why_calls_end() { return closed_by.load(std::memory_order_relaxed); }

}  // namespace waywiser::profile
