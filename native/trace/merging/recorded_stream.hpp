/// Converts the calls of one thread from the bytes of its buffers to a trace.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/merging/recorded_process.hpp"
#include "trace/records/trace.hpp"
#include "trace/writing/trace_writer.hpp"

namespace waywiser::trace {

/// Converts a process's ticks to the trace's time.
class TraceClock {
public:
    /// \param shift_ns  offset from the host's CLOCK_MONOTONIC to the trace's time, modulo 2^64
    TraceClock(const state::Header& header, std::uint64_t shift_ns);

    [[nodiscard]] std::uint64_t ns(std::uint64_t ticks) const;

private:
    std::uint64_t begin_ticks_;
    std::uint64_t begin_ns_;
    long double ns_per_tick_;
};

/// A process's signatures, converted to a trace writer's parameters.
class RecordedSignatures {
public:
    RecordedSignatures(const RecordedProcess& process, TraceWriter& writer);

    /// Called at the start of another stream, which has its own numbers.
    void begin_stream() { numbers_.assign(numbers_.size(), kNotSigned); }

    /// \return the writer's number of a signature
    /// \throws Error  if the state has no such signature
    [[nodiscard]] std::uint32_t number(std::uint64_t id) {
        if (id < numbers_.size() && numbers_[id] != kNotSigned) return numbers_[id];
        return ask(id);
    }

    /// The writer's number for a call like `id`, except for the fields in `mask`.
    [[nodiscard]] std::uint32_t varied(std::uint64_t id, std::uint64_t mask, const std::int64_t* differences);

    /// The writer's number for a call whose function alone is known.
    [[nodiscard]] std::uint32_t unfinished(std::uint64_t function);

private:
    static constexpr std::uint32_t kNotSigned = ~std::uint32_t{0};

    std::uint32_t ask(std::uint64_t id);
    [[nodiscard]] const state::TraceSignatureRecord& record(std::uint64_t id) const;
    std::uint32_t sign(const state::TraceSignatureRecord& record, const state::TraceKey& key);
    std::uint32_t function(std::uint64_t id);
    std::uint32_t site(const state::TraceSignatureRecord& record);
    [[nodiscard]] std::int32_t object(std::int32_t id) const;
    [[nodiscard]] const std::vector<std::int64_t>& list(std::uint32_t id) const;

    const RecordedProcess& process_;
    TraceWriter& writer_;
    std::vector<std::uint32_t> numbers_;
    std::unordered_map<std::uint64_t, std::uint32_t> functions_;
    std::unordered_map<std::uint64_t, std::uint32_t> sites_;  ///< call sites of signatures
};

/// Reads the buffers of one stream in their order.
class RecordedCalls {
public:
    RecordedCalls(RecordedSignatures& signatures, const TraceClock& clock, TraceWriter& writer)
        : signatures_(signatures), clock_(clock), writer_(writer) {}

    /// \param begin_ticks  start of the first gap
    /// \throws Error  if the profiler cannot have written the bytes; the calls before them are in the trace
    void read(std::string_view bytes, std::uint64_t begin_ticks);

    void add_polls(std::uint64_t signature, std::uint64_t number, std::uint64_t begin, std::uint64_t end,
                   std::uint64_t within);

    /// Adds a call that did not return.
    void add_unfinished(std::uint64_t function, std::uint64_t begin, std::uint64_t end);

    [[nodiscard]] std::uint64_t calls() const { return calls_; }

private:
    void append(std::uint32_t signature, std::uint64_t begin, std::uint64_t end, std::uint64_t number,
                std::uint64_t within);

    RecordedSignatures& signatures_;
    const TraceClock& clock_;
    TraceWriter& writer_;
    std::uint64_t last_ns_ = 0;
    std::uint64_t calls_ = 0;
};

}  // namespace waywiser::trace
