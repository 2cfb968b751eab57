/// The process's live state: a file in node-local memory, mapped, that grows by chunks.
///
/// Every chunk is allocated on disk before it is mapped, so that a full file system causes a failed allocation, never a
/// SIGBUS in the program. No descriptor is kept open: a program may close every unknown descriptor and reuse its number
/// for a file of its own. Without a usable directory the state is anonymous memory: it then lives as long as the
/// process and is saved when the process ends.
#pragma once

#include "profile/process/node.hpp"
#include "trace/records/state.hpp"

namespace waywiser::profile {

class StateFile {
public:
    /// Creates the state in `directory`, which is created if necessary, or in anonymous memory.
    /// \return false if there is no memory at all
    bool open(const char* directory);

    /// Writes the process into the header: from now on, other processes recognise the file as a state.
    void announce();

    /// A zeroed record of `bytes`, whose kind is set by `publish`; null when memory is exhausted. The function is not
    /// for hot paths; callers hold the recorder's lock.
    void* allocate(std::size_t bytes);
    template <class Record>
    [[nodiscard]] Record* allocate() {
        return static_cast<Record*>(allocate(sizeof(Record)));
    }

    /// Makes a record visible to readers. All its other fields must be written before.
    static void publish(state::RecordHeader& record, state::Kind kind);

    /// Writes a copy of the state into the run: into the node's file, or into a file of its own if the node has no
    /// ledger.
    /// \return false if the copy could not be written; the live state is kept then
    [[nodiscard]] bool save(const char* run) const;

    /// Removes the file. Its copy must be safe.
    void remove() const;

    [[nodiscard]] state::Header* header() const { return header_; }

private:
    static constexpr std::size_t kMaxChunks = 4096;

    bool grow();
    [[nodiscard]] int reopen() const;
    [[nodiscard]] bool write_to(int file, std::uint64_t offset, std::uint64_t chunks) const;
    [[nodiscard]] bool save_with_others(const char* run) const;
    [[nodiscard]] bool save_alone(const char* run) const;

    bool named_ = false;  ///< the state is in a file, not only in memory
    std::uint64_t inode_ = 0;
    char directory_[kPathBytes] = {};
    char path_[kPathBytes] = {};
    state::Header* header_ = nullptr;
    char* chunks_[kMaxChunks] = {};
    std::size_t used_ = state::kChunkBytes;  ///< used bytes of the newest chunk
};

}  // namespace waywiser::profile
