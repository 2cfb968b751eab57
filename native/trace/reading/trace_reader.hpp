/// Reads a trace, one stream at a time, or many at once.
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
    /// \return false at the end, and at damage, which `lost` then reports
    [[nodiscard]] bool next();

    /// Goes to the first call that ends after `ns`.
    [[nodiscard]] bool seek(std::uint64_t ns);

    [[nodiscard]] const TracedCall& call() const { return current_->call; }

    /// Parameters of the current call. Valid until the next call.
    [[nodiscard]] const Parameters& parameters() const { return *current_->parameters; }

    /// A number for the call's parameters without those that vary from call to call, below TraceFile::signatures().
    /// Callers can cache results by this number. All calls with a number have the same function, call site and action;
    /// peers may be relative to the rank.
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

/// A trace file. Reading takes memory for signatures and loops, and one block of times per cursor, however long the
/// trace.
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

    /// Sets the clocks, one per host, on which new cursors report times.
    void set_clocks(std::vector<HostClock> clocks);

private:
    std::unique_ptr<StoredTrace> stored_;
};

}  // namespace waywiser::trace
