/// Writes a trace. Loops within a stream, and equal streams, are folded while calls are added.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trace/records/trace.hpp"

namespace waywiser::trace {

/// Takes the job's streams one after another, each from its first call to its last. Memory does not
/// grow with the number of calls of a regular program.
class TraceWriter {
public:
    /// Writes through a temporary file beside `path`, so that `path` is either complete or absent.
    /// \throws Error  if writing fails
    explicit TraceWriter(const std::string& path);
    ~TraceWriter();
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;

    /// Data that all ranks share, without streams; may be filled until `finish`. Parameters refer to it.
    [[nodiscard]] TraceJob& job();

    /// \return index of a function, a call site or an object; each is listed once
    std::uint32_t function(const std::string& name);
    std::uint32_t call_site(const CallSite& site);
    std::uint32_t object(const TraceObject& object);

    /// Starts a stream, to which the following calls belong.
    void begin_stream(std::int64_t rank, std::uint32_t thread);

    /// \return the number of a signature in the current stream; lists are copied
    std::uint32_t signature(const Parameters& parameters);

    /// Adds a call to the current stream; calls must come in the order in which they start.
    void append(std::uint32_t signature, const TracedCall& call);

    /// Adds a call with parameters that may never recur. This takes no memory for them, but more time.
    void append(const Parameters& parameters, const TracedCall& call);

    /// \throws Error  if writing fails
    void finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace waywiser::trace
