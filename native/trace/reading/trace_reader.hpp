/// Reads a trace, a stream at a time or many at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trace/reading/call_blocks.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::trace {

class StoredTrace;

/// The calls of one stream, one after another.
class Cursor {
public:
    Cursor(Cursor&&) noexcept;
    Cursor& operator=(Cursor&&) noexcept;
    ~Cursor();

    /// Goes to the next call.
    /// \return false at the end, and where the file is damaged: `lost` says it then
    [[nodiscard]] bool next();

    /// Goes to the first call that ends after `ns`.
    [[nodiscard]] bool seek(std::uint64_t ns);

    [[nodiscard]] const TracedCall& call() const { return current_->call; }

    /// Parameters of the present call. Valid until the next call.
    [[nodiscard]] const Parameters& parameters() const { return *current_->parameters; }

    /// A number of the job's for the call's parameters without what varies from call to call, so that what
    /// is found out about them can be kept: less than TraceFile::signatures(). Function, place and action are
    /// the same for all calls of a number; peers may be relative to the rank.
    [[nodiscard]] std::uint32_t signature() const { return current_->signature; }

private:
    friend class TraceFile;
    struct Impl;
    struct Current {
        TracedCall call = {};
        const Parameters* parameters = nullptr;
        std::uint32_t signature = 0;
    };
    explicit Cursor(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
    const Current* current_;
};

/// A trace file. Reading takes memory for its signatures and loops, and a block of times for each
/// cursor, however long the trace.
class TraceFile {
public:
    /// \throws InvalidInput  if the file cannot be opened or is not a trace
    explicit TraceFile(const std::string& path);
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    [[nodiscard]] const TraceJob& job() const;
    [[nodiscard]] std::uint32_t signatures() const;

    /// \param stream  index into TraceJob::streams
    [[nodiscard]] Cursor cursor(std::size_t stream) const;

    /// The calls of all streams, a block at a time.
    [[nodiscard]] CallBlocks blocks(const std::function<bool(const Parameters&)>& keeps_length) const;

    /// Cursors made from now on give times on these clocks, one for each host.
    void set_clocks(std::vector<HostClock> clocks);

private:
    std::unique_ptr<StoredTrace> stored_;
};

}  // namespace waywiser::trace
