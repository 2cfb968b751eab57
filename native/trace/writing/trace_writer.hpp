/// Writes a trace: folds each stream's loops, and streams that do the same, while it takes calls.
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
    /// Writes through a temporary file beside `path`, so that `path` is whole or absent.
    /// \throws Error  if the file system does not take it
    explicit TraceWriter(const std::string& path);
    ~TraceWriter();
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;

    /// Data that all ranks share, without streams; may be filled until `finish`. Parameters refer to it.
    [[nodiscard]] TraceJob& job();

    /// \return index of a function, of a place in the program, of an object; each is listed once
    std::uint32_t function(const std::string& name);
    std::uint32_t call_site(const CallSite& site);
    std::uint32_t object(const TraceObject& object);

    /// Calls that follow are of this stream.
    void begin_stream(std::int64_t rank, std::uint32_t thread);

    /// \return the number of a signature in the present stream; lists are copied
    std::uint32_t signature(const Parameters& parameters);

    /// Adds a call of the present stream; they come in the order of their begins.
    void append(std::uint32_t signature, const TracedCall& call);

    /// Adds a call with parameters that may not come again: takes no memory for them, but more time.
    void append(const Parameters& parameters, const TracedCall& call);

    /// \throws Error  if the file system does not take it
    void finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace waywiser::trace
