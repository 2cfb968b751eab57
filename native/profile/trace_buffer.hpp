/// The calls of one thread, on their way into the trace (trace/recording.hpp).
#pragma once

#include <cstdint>

#include "trace/recording.hpp"

namespace waywiser::profile {

/// A TraceKey in the words that it is compared by. Written as words: a load that spans two stores that
/// are still under way waits for both.
struct KeyWords {
    std::uint64_t at[sizeof(state::TraceKey) / sizeof(std::uint64_t)];
};

[[gnu::always_inline]] inline KeyWords words_of(const state::TraceKey& key) {
    const auto pair = [](auto low, auto high) {
        return std::uint64_t{static_cast<std::uint32_t>(low)} | std::uint64_t{static_cast<std::uint32_t>(high)} << 32U;
    };
    const auto what =
        key.function | static_cast<std::uint32_t>(key.action) << 16U | static_cast<std::uint32_t>(key.found) << 24U;
    return {{key.caller, pair(what, key.object), pair(key.peer, key.tag), pair(key.source, key.source_tag), key.bytes,
             key.posted, pair(key.request, key.message), pair(key.matched_source, key.matched_tag),
             pair(key.requests, key.completed), pair(key.counts, key.created), static_cast<std::uint64_t>(key.detail)}};
}

/// Direct-mapped, by a key's hash: a collision costs time, never a call.
struct KnownSignature {
    KeyWords key;
    std::uint64_t number;  ///< of the signature, plus 1; 0: unused
};

inline constexpr std::size_t kKnownSignatures = 1024;

/// What a thread keeps of its trace.
struct Tracer {
    state::TraceStreamRecord* stream;
    std::uint64_t* polls;        ///< what another poll of the present run adds to
    std::uint64_t unkept;        ///< polls, where there is no trace
    std::uint64_t asked;         ///< what that run asks for; 0: there is none
    state::TraceKey poll;        ///< the call that asks it
    std::uint64_t ticks_before;  ///< time in such polls before that run
    KnownSignature known[kKnownSignatures];
};

/// Takes what concerns traces from the words of `waywiser profile`:
/// `trace-limit=BYTES` of one process in the run; `trace-phase=NUMBER`, the only phase that is kept;
/// `trace-window=BEGIN_NS:END_NS` of the wall clock, since 1970, so that it is the same for all ranks.
void read_trace_options(const char* words);

/// \return whether a trace can be kept, or what calls say of themselves be told to what follows them
[[nodiscard]] bool open_trace(const char* run, const state::Header& process);

/// Makes the trace of a thread; null without memory. Callers hold the recorder's lock.
[[nodiscard]] Tracer* open_tracer(std::uint32_t thread, std::uint64_t begin_ticks);

/// Adds a call.
void keep_call(Tracer& tracer, const KeyWords& key, std::uint64_t begin, std::uint64_t end);

[[gnu::always_inline]] inline void keep_call(Tracer& tracer, const state::TraceKey& key, std::uint64_t begin,
                                             std::uint64_t end) {
    keep_call(tracer, words_of(key), begin, end);
}

/// The next poll asks for something else than the one before, or elsewhere.
void ask_anew(Tracer& tracer, std::uint64_t asked, const state::TraceKey& poll);

/// Adds the poll that was last asked, timed, which found nothing.
/// \param ticks_before  time in such polls before this one
void keep_pending(Tracer& tracer, std::uint64_t begin, std::uint64_t end, std::uint64_t ticks_before);

/// Adds the poll that was last asked, which found something.
void keep_found(Tracer& tracer, std::uint64_t begin, std::uint64_t end);

}  // namespace waywiser::profile
