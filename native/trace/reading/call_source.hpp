/// Source of the calls for a replay: a trace file, or a generator that creates calls while they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/encoding/peers.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::trace {

/// A call whose length is kept, or some of whose parameters are its own.
struct FullCall {
    std::uint32_t symbol = 0;
    std::uint64_t gap_ns = 0;  ///< since the end of the preceding call; since the start of the trace if there was none
    std::uint64_t length_ns = 0;
    std::uint64_t times = 1;       ///< as in TracedCall
    std::uint64_t polling_ns = 0;  ///< as in TracedCall
    bool varied = false;           ///< true: `own` holds the parameters; false: the symbol's parameters hold
    Signature own{Parameters{}};   ///< peers may be relative, as in the symbol's signature
};

struct BlockOfCalls {
    struct Call {
        std::uint32_t gap_ns;
        std::uint32_t what;  ///< twice the symbol, or twice the index in `full` plus 1

        [[nodiscard]] bool is_full() const { return (what & 1U) != 0; }
    };

    std::vector<Call> calls;
    std::vector<FullCall> full;
    std::uint64_t gaps_ns = 0;     ///< sum over the block
    std::uint64_t lengths_ns = 0;  ///< sum over the block
};

/// In StoredSignature::relative, beside the bits of `peers`: CallSource::place sets the peers. Higher bits are the
/// source's own.
inline constexpr std::uint32_t kPlacedBySource = 8;

/// Reads calls of any stream, a block at a time. Each thread has its own.
class CallReader {
public:
    virtual ~CallReader() = default;

    /// \param block  from 0
    /// \return false after the last one
    [[nodiscard]] virtual bool read(std::size_t stream, std::size_t block, BlockOfCalls& calls) = 0;
};

/// Calls of all streams. A call that matters only by the gap before it takes 8 bytes; the meaning of a symbol is shared
/// by all ranks that behave alike.
class CallSource {
public:
    CallSource() = default;
    CallSource(CallSource&&) noexcept = default;
    virtual ~CallSource() = default;

    /// Signatures by symbol of the lists that streams share; null for symbols without a signature.
    using List = std::vector<const StoredSignature*>;
    [[nodiscard]] virtual const std::vector<List>& lists() const = 0;
    [[nodiscard]] virtual std::uint32_t list_of(std::size_t stream) const = 0;

    /// The source must outlive the reader.
    [[nodiscard]] virtual std::unique_ptr<CallReader> reader() const = 0;

    /// Sets peers and tags of a call with kPlacedBySource.
    /// \param relative  StoredSignature::relative of its signature
    virtual void place(std::size_t /*stream*/, std::uint32_t /*relative*/, Parameters& /*call*/) const {}
};

}  // namespace waywiser::trace
