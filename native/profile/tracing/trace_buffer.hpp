/// The calls of one thread, buffered for the trace (trace/records/recording.hpp).
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "trace/records/recording.hpp"

namespace waywiser::profile {

/// A TraceKey split into the words by which it is compared.
struct KeyWords {
    std::uint64_t at[sizeof(state::TraceKey) / sizeof(std::uint64_t)];
};

[[gnu::always_inline]] inline KeyWords words_of(const state::TraceKey& key) {
    const auto pair = [](auto low, auto high) {
        return std::uint64_t{static_cast<std::uint32_t>(low)} | std::uint64_t{static_cast<std::uint32_t>(high)} << 32U;
    };
    const auto call_word =
        key.function | static_cast<std::uint32_t>(key.action) << 16U | static_cast<std::uint32_t>(key.found) << 24U;
    return {{key.caller, pair(call_word, key.object), pair(key.peer, key.tag), pair(key.source, key.source_tag),
             key.bytes, key.posted, pair(key.request, key.message), pair(key.matched_source, key.matched_tag),
             pair(key.requests, key.completed), pair(key.counts, key.created), static_cast<std::uint64_t>(key.detail)}};
}

/// Compares word by word: the compiler then compares each word where it is, and most of them are constants.
[[gnu::always_inline]] inline bool equal(const KeyWords& a, const KeyWords& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((a.at[I] == b.at[I]) && ...);
    }(std::make_index_sequence<std::size(KeyWords{}.at)>{});
}

/// A signature of one of the thread's calls. All zeros mean none, since no function has the number 0.
struct KnownSignature {
    KeyWords key;
    KnownSignature* next;  ///< signature of the call that followed the latest call with this one
    std::uint32_t code;    ///< first word of its entries
    std::uint32_t code_bytes;
};

inline constexpr std::size_t kKnownSignatures = 1024;

/// The arguments of a poll, in two words.
struct Subject {
    std::uint64_t first;
    std::uint64_t second;
};

/// The subject and the call site of a poll. Consecutive polls with the same subject and call site are one entry of a
/// trace.
struct PollOrigin {
    const void* caller;
    const state::FunctionRecord* function;  ///< also distinguishes phases; null: there was no poll yet
    Subject subject;
};

/// State of a thread's trace.
struct Tracer {
    state::TraceStreamRecord* stream;
    KnownSignature* latest;  ///< signature of the preceding call; `unknown` if the next call cannot be predicted
    KnownSignature unknown;
    std::uint64_t* polls;        ///< counter of the present run of polls
    std::uint64_t unkept;        ///< number of polls if there is no trace
    PollOrigin poll_origin;      ///< subject and call site of that run
    state::TraceKey poll;        ///< key of the polling call
    std::uint64_t ticks_before;  ///< time in such polls before that run
    /// direct-mapped by a key's hash: a collision costs time but loses no call
    KnownSignature known[kKnownSignatures];
};

/// Takes an option that concerns traces (option_words.hpp):
///
/// - `trace-limit=BYTES`, the limit per process;
/// - `trace-phase=NUMBER`, the only phase that is kept;
/// - `trace-window=BEGIN_NS:END_NS` of the wall clock, since 1970, so that it is the same for all ranks.
void read_trace_option(std::string_view name, const char* value);

/// \return true if a trace can be written, or if calls can be reported to a listener
[[nodiscard]] bool open_trace(const char* run, const state::Header& process);

/// Makes the trace of a thread; null without memory. Callers hold the recorder's lock.
[[nodiscard]] Tracer* open_tracer(std::uint32_t thread, std::uint64_t begin_ticks);

/// Adds a call of any signature.
void keep_any(Tracer& tracer, const KeyWords& key, std::uint64_t begin, std::uint64_t end);

/// Adds a call that repeats the successor of the latest call.
void keep_next(Tracer& tracer, std::uint64_t begin, std::uint64_t end);

/// Adds a call, which in a loop repeats the previous successor of the latest call.
[[gnu::always_inline]] inline void keep_call(Tracer& tracer, const state::TraceKey& key, std::uint64_t begin,
                                             std::uint64_t end) {
    if (__builtin_expect(equal(words_of(key), tracer.latest->next->key), 1)) return keep_next(tracer, begin, end);
    keep_any(tracer, words_of(key), begin, end);
}

/// Starts a new run of polls with another subject or call site.
void start_polls(Tracer& tracer, const PollOrigin& poll_origin, const state::TraceKey& poll);

/// Adds a timed, unsuccessful poll to the current run.
/// \param ticks_before  time in such polls before this poll
void keep_pending(Tracer& tracer, std::uint64_t begin, std::uint64_t end, std::uint64_t ticks_before);

/// Adds the successful poll that ends the current run.
void keep_found(Tracer& tracer, std::uint64_t begin, std::uint64_t end);

}  // namespace waywiser::profile
