/// State that the processes of one run share on one node: a directory in node-local memory.
///
///     DIRECTORY/PID.state   a process's live state; empty until its first MPI call
///     DIRECTORY/ledger      has the name of the node's file in the run, and how much of it is reserved
///
/// All states of a node are saved into one file, RUN/parts/NAME.states. Each writer reserves a place in it by one
/// atomic addition to the ledger, so that no writer waits. Nothing is locked or mapped on the run's file system, which
/// may be a network's. The header of a state is written last. A state that was cut short is therefore a hole, which
/// readers skip, and loses that entry alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cerrno>

#include "trace/records/state.hpp"

namespace waywiser::profile {

inline constexpr std::size_t kPathBytes = 1100;

/// Ledger of the node's file, mapped by all processes of the node.
struct Ledger {
    std::uint64_t given_out;  ///< bytes of the node's file that are reserved
    char name[128];           ///< name of the node's file: HOST-HEX, because two nodes may share a host name
};

/// Prints into a buffer of `kPathBytes`. \return false if the path does not fit
__attribute__((format(printf, 2, 3))) bool print_path(char (&path)[kPathBytes], const char* format, ...);

/// Reads as much of a small file, e.g. in /proc, as fits, and appends a zero byte. The function avoids stdio, which
/// would allocate.
/// \return false, with errno, if it cannot be read; the text is empty then
bool read_file(const char* path, char* text, std::size_t room);
template <std::size_t N>
bool read_file(const char* path, char (&text)[N]) {
    return read_file(path, text, N);
}

/// Fills memory from /dev/urandom, because glibc 2.17 and the kernel of RHEL 7 lack getrandom.
/// \return false if there is no /dev/urandom
[[nodiscard]] bool fill_randomly(void* to, std::size_t bytes);

/// Creates the directory if necessary.
/// \return true if only this user can write to it, so that others cannot plant links in it
[[nodiscard]] bool private_directory(const char* directory);

/// Opens DIRECTORY/PID.state and truncates it if it exists. \return a descriptor, or -1
[[nodiscard]] int make_state(const char* directory, char (&path)[kPathBytes]);

/// Locks the node's ledger, which is created and named if necessary. The lock ends with the last copy of the
/// descriptor.
/// \return a descriptor; -1 if another process has the lock, or without node-local memory
[[nodiscard]] int claim_node(const char* directory);

/// \return the mapped ledger; null if there is none or its memory was not allocated
[[nodiscard]] Ledger* map_ledger(int file);

/// Reserves `bytes` of the node's file. \return their offset
[[nodiscard]] std::uint64_t take_place(Ledger& ledger, std::uint64_t bytes);

/// Space for a state of `chunks`: whole pages, so that no two writers share one.
[[nodiscard]] constexpr std::uint64_t room_bytes(std::uint64_t chunks) {
    return state::kHeaderBytes + chunks * state::kChunkBytes;
}

/// \return bytes of a chunk that are used by its records
[[nodiscard]] std::size_t used_bytes(const char* chunk);

/// \return false beyond the process's file-size limit, where a write would end it by SIGXFSZ
[[nodiscard]] bool within_file_limit(std::uint64_t end);

[[nodiscard]] bool write_at(int file, const void* data, std::size_t bytes, std::uint64_t offset);

/// Repeats a system call as long as signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

/// Makes a file's new name in RUN/parts as durable as its content.
/// \return false if the file system cannot
[[nodiscard]] bool sync_parts(const char* run);

/// Start time of a process in clock ticks since boot, which distinguishes it from a later process with the same PID.
/// \return 0 if it has ended
[[nodiscard]] std::uint64_t start_of(long pid);

}  // namespace waywiser::profile
