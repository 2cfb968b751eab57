/// Calls a block at a time, for those who go through many streams at once and need few of their times.
///
/// A call of which only the time before it matters takes 8 bytes in memory; what its symbol stands for is the same for
/// all ranks that do the same. One reader serves all streams.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trace/peers.hpp"
#include "trace/trace.hpp"

namespace waywiser::trace {

class StoredTrace;

/// A call whose length is kept, or some of whose parameters are its own.
struct FullCall {
    std::uint32_t symbol = 0;
    std::uint64_t gap_ns = 0;  ///< since the end of the call before; since the trace's begin if there was none
    std::uint64_t length_ns = 0;
    std::uint64_t times = 1;       ///< as in TracedCall
    std::uint64_t polling_ns = 0;  ///< likewise
    bool varied = false;           ///< `own` holds the parameters; else the symbol's are
    Signature own{Parameters{}};   ///< peers may be relative, as those of the symbol
};

struct BlockOfCalls {
    struct Call {
        std::uint32_t gap_ns;
        std::uint32_t what;  ///< twice the symbol, or twice the index in `full` and 1

        [[nodiscard]] bool is_full() const { return (what & 1U) != 0; }
    };

    std::vector<Call> calls;
    std::vector<FullCall> full;
    std::uint64_t gaps_ns = 0;     ///< sums
    std::uint64_t lengths_ns = 0;  ///< likewise
};

class CallBlocks {
public:
    /// \param keeps_length  of calls with these parameters; of others only the gap is kept
    CallBlocks(const StoredTrace& trace, const std::function<bool(const Parameters&)>& keeps_length);
    CallBlocks(CallBlocks&&) noexcept;
    ~CallBlocks();

    /// Signatures by symbol of the lists that streams share; null where a symbol is none.
    using List = std::vector<const StoredSignature*>;
    [[nodiscard]] const std::vector<List>& lists() const;
    [[nodiscard]] std::uint32_t list_of(std::size_t stream) const;

private:
    friend class BlockReader;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Each thread has its own.
class BlockReader {
public:
    /// Refers to the blocks, and to their trace.
    explicit BlockReader(const CallBlocks& blocks);
    ~BlockReader();
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;

    /// \param block  from 0
    /// \return false behind the last one, and where the file is damaged: TraceJob::lost says it then
    [[nodiscard]] bool read(std::size_t stream, std::size_t block, BlockOfCalls& calls);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace waywiser::trace
