/// The files to which full buffers of a trace were written while the program ran (state::CallsHeader).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace waywiser::trace {

/// The location of a buffer of one thread's calls.
struct CallsBuffer {
    std::uint64_t sequence = 0;
    std::uint64_t begin_ticks = 0;
    std::uint64_t offset = 0;  ///< position of its bytes in the file
    std::uint32_t file = 0;
    std::uint32_t bytes = 0;
    std::uint32_t checksum = 0;
};

/// Buffers of a process by thread, ordered by sequence number.
using ProcessBuffers = std::map<std::uint32_t, std::vector<CallsBuffer>>;

/// Stores the positions of buffers, not their content.
class CallsFiles {
public:
    /// Does not fail for a damaged file; `lost` reports it.
    explicit CallsFiles(std::vector<std::string> paths);

    /// Returns a process's buffers and removes them from this list.
    [[nodiscard]] ProcessBuffers take(std::uint32_t pid, std::uint64_t process_start);

    /// \return none if the bytes differ from those that were written
    [[nodiscard]] std::optional<std::string> read(const CallsBuffer& buffer) const;

    /// The number of buffers that were not taken.
    [[nodiscard]] std::size_t left() const;

    [[nodiscard]] const std::vector<std::string>& lost() const { return lost_; }

private:
    void index(std::uint32_t file);

    std::vector<std::string> paths_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, ProcessBuffers> processes_;
    std::vector<std::string> lost_;
};

}  // namespace waywiser::trace
