#include "profile/tracing/trace_buffer.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "profile/calls/recorder.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/clock.hpp"
#include "profile/tracing/calls_file.hpp"
#include "profile/tracing/signatures.hpp"
#include "profile/tracing/trace_window.hpp"

namespace waywiser::profile {
namespace {

// The longest entry is a run of polls and a varied call: 16 and 24 integers.
constexpr std::size_t kLongestEntry = 256;

/// Writes an integer of any size in 7-bit groups, of which only the last has no high bit (LEB128).
[[gnu::cold, gnu::noinline]] unsigned char* put_long(unsigned char* at, std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) *at++ = static_cast<unsigned char>(value | 0x80U);
    *at++ = static_cast<unsigned char>(value);
    return at;
}

/// Equivalent to put_long() without a branch that depends on the length, since times vary between two bytes and three.
/// Writes 8 bytes, of which only those before the returned address count.
inline unsigned char* put(unsigned char* at, std::uint64_t value) {
    if (__builtin_expect(value >> 56U != 0, 0)) return put_long(at, value);
    const auto top_bit = static_cast<unsigned>(63 - __builtin_clzll(value | 1U));
    const unsigned bytes = (top_bit * 9 + 73) / 64;  // top_bit / 7 + 1
    value = (value & 0x000000000fffffffU) | (value & 0x00fffffff0000000U) << 4U;
    value = (value & 0x00003fff00003fffU) | (value & 0x0fffc0000fffc000U) << 2U;
    value = (value & 0x007f007f007f007fU) | (value & 0x3f803f803f803f80U) << 1U;
    value |= 0x8080808080808080U & ((std::uint64_t{1} << 8 * (bytes - 1)) - 1);
    std::memcpy(at, &value, sizeof value);
    return at + bytes;
}

std::uint64_t zigzag(std::int64_t difference) {
    return static_cast<std::uint64_t>(difference) << 1U ^ static_cast<std::uint64_t>(difference >> 63U);
}

/// Calls `each(field, difference)` for every field in which `key` differs from `like`.
template <class Each>
void each_difference(const state::TraceKey& key, const state::TraceKey& like, Each&& each) {
    state::each_trace_field([&](unsigned field, auto member) {
        const auto value = static_cast<std::uint64_t>(key.*member);
        const auto reference = static_cast<std::uint64_t>(like.*member);
        if (value != reference) each(field, static_cast<std::int64_t>(value - reference));
    });
}

inline bool has_room(const state::TraceStreamRecord& stream) {
    return __builtin_expect(stream.used <= state::kTraceBufferBytes - kLongestEntry, 1);
}

/// Starts the next buffer if the present one is full.
bool make_room(state::TraceStreamRecord& stream) {
    if (has_room(stream)) return true;
    if (!append_calls(stream)) return false;
    // The order of these stores makes a reader of the state take the bytes from the file, and only once.
    __atomic_store_n(&stream.used, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&stream.begin_ticks, stream.last_ticks, __ATOMIC_RELEASE);
    __atomic_store_n(&stream.sequence, stream.sequence + 1, __ATOMIC_RELEASE);
    return true;
}

/// The counter of calls that are not kept.
[[gnu::cold, gnu::noinline]] std::uint64_t* count_of_missing(state::TraceStreamRecord& stream, std::uint64_t begin) {
    if (!in_window(begin)) return &stream.dropped_calls;
    stream.lost_reason = why_calls_end();
    return &stream.lost_calls;
}

/// Publishes the bytes up to `at`, which are complete.
inline void publish(state::TraceStreamRecord& stream, const unsigned char* at, std::uint64_t calls, std::uint64_t end) {
    stream.calls += calls;
    stream.last_ticks = end;
    __atomic_store_n(&stream.used, static_cast<std::uint64_t>(at - stream.bytes), __ATOMIC_RELEASE);
}

/// Writes gap and duration. Clocks of two CPUs may differ slightly.
[[gnu::noinline]] void put_long_times(state::TraceStreamRecord& stream, unsigned char* at, std::uint64_t begin,
                                      std::uint64_t end) {
    begin = std::max(begin, stream.last_ticks);
    end = std::max(begin, end);
    at = put(at, begin - stream.last_ticks);
    at = put(at, end - begin);
    publish(stream, at, 1, end);
}

/// Times that fit in two bytes each are written with two. A mispredicted branch then costs little beside the long time
/// that caused it.
[[gnu::always_inline]] inline void put_times(state::TraceStreamRecord& stream, unsigned char* at, std::uint64_t begin,
                                             std::uint64_t end) {
    const std::uint64_t gap = begin - stream.last_ticks;
    const std::uint64_t duration = end - begin;
    if (__builtin_expect((gap | duration) >> 14U != 0, 0)) return put_long_times(stream, at, begin, end);
    const auto both = static_cast<std::uint32_t>(gap | duration << 16U);
    const std::uint32_t groups = (both + (both & 0x3f803f80U)) | 0x00800080U;
    std::memcpy(at, &groups, sizeof groups);
    publish(stream, at + sizeof groups, 1, end);
}

/// Writes a call whose signature the thread knows.
[[gnu::always_inline]] inline void put_call(state::TraceStreamRecord& stream, const KnownSignature& known,
                                            std::uint64_t begin, std::uint64_t end) {
    unsigned char* at = stream.bytes + stream.used;
    std::memcpy(at, &known.code, sizeof known.code);
    put_times(stream, at + known.code_bytes, begin, end);
}

unsigned char* put_varied(unsigned char* at, const state::TraceKey& key, const Signature& signature) {
    std::uint64_t mask = 0;
    each_difference(key, *signature.like, [&](unsigned field, std::int64_t) { mask |= std::uint64_t{1} << field; });
    at = put_long(at, state::kVaried);
    at = put_long(at, signature.number);
    at = put_long(at, mask);
    each_difference(key, *signature.like,
                    [&](unsigned, std::int64_t difference) { at = put_long(at, zigzag(difference)); });
    return at;
}

/// Writes the polls that have only been counted so far.
[[gnu::noinline]] void write_polls(state::TraceStreamRecord& stream) {
    const std::uint64_t begin = std::max(stream.polls_begin_ticks, stream.last_ticks);
    const std::uint64_t end = std::max(stream.polls_end_ticks, begin);
    unsigned char* at = stream.bytes + stream.used;
    if (stream.polls == 1) {
        put_times(stream, put(at, state::kFirstId + stream.polls_signature), begin, end);
    } else {
        at = put(at, state::kPolls);
        at = put(at, stream.polls_signature);
        at = put(at, stream.polls);
        at = put(at, begin - stream.last_ticks);
        at = put(at, end - begin);
        at = put(at, stream.polls_ticks);
        publish(stream, at, stream.polls, end);
    }
    stream.polls = 0;
}

/// Ends the run of polls.
inline void end_polls(Tracer& tracer) {
    tracer.poll_origin.function = nullptr;
    if (__builtin_expect(tracer.stream->polls != 0, 0)) write_polls(*tracer.stream);
}

/// Enters a signature into the thread's table.
void note(KnownSignature& known, const KeyWords& key, std::uint32_t number) {
    std::uint64_t code = 0;
    const unsigned char* end = put(reinterpret_cast<unsigned char*>(&code), state::kFirstId + number);
    known = {.key = key,
             .next = &known,
             .code = static_cast<std::uint32_t>(code),
             .code_bytes = static_cast<std::uint32_t>(end - reinterpret_cast<unsigned char*>(&code))};
}

/// Adds a call that the thread's table does not have.
/// \return true if the table has it now
[[gnu::noinline]] bool keep_unknown(Tracer& tracer, const KeyWords& words, std::uint64_t hash, KnownSignature& known,
                                    std::uint64_t begin, std::uint64_t end) {
    state::TraceStreamRecord& stream = *tracer.stream;
    const auto key = std::bit_cast<state::TraceKey>(words);
    const Signature signature = signature_of(key, hash);
    if (signature.number == Signature::kNoNumber) {
        stream.lost_reason = state::kNoMemory;
        stream.lost_calls += 1;
        return false;
    }
    if (signature.like != nullptr) {
        put_times(stream, put_varied(stream.bytes + stream.used, key, signature), begin, end);
        return false;
    }
    note(known, words, signature.number);
    put_call(stream, known, begin, end);
    return true;
}

constinit std::uint64_t limit_bytes = std::uint64_t{1} << 30U;

}  // namespace

void read_trace_option(std::string_view name, const char* value) {
    if (name == "trace-limit") limit_bytes = std::strtoull(value, nullptr, 10);
    read_window_option(name, value);
}

bool open_trace(const char* run, const state::Header& process) {
    if (!options.trace) return open_lists();
    set_window_ticks(process);
    return name_calls_file(run, process, limit_bytes) && open_signatures() && open_lists();
}

Tracer* open_tracer(std::uint32_t thread, std::uint64_t begin_ticks) {
    auto* tracer = static_cast<Tracer*>(zeroed_pages(sizeof(Tracer)));
    if (tracer == nullptr) return nullptr;
    auto* stream = process_state()->allocate<state::TraceStreamRecord>();
    if (stream == nullptr) {
        munmap(tracer, sizeof(Tracer));
        return nullptr;
    }
    stream->header.thread = thread;
    stream->begin_ticks = begin_ticks;
    stream->last_ticks = begin_ticks;
    StateFile::publish(stream->header, state::Kind::trace_stream);
    tracer->stream = stream;
    tracer->unknown.next = &tracer->unknown;
    tracer->latest = &tracer->unknown;
    tracer->polls = options.trace ? &stream->polls : &tracer->unkept;
    return tracer;
}

void keep_any(Tracer& tracer, const KeyWords& key, std::uint64_t begin, std::uint64_t end) {
    if (__builtin_expect(listener != nullptr, 0)) {
        listener->call(std::bit_cast<state::TraceKey>(key), begin, end);
        if (!options.trace) {
            tracer.poll_origin.function = nullptr;
            return;
        }
        end = ticks();  // The time that writing took is not computation of the program.
    }
    end_polls(tracer);
    state::TraceStreamRecord& stream = *tracer.stream;
    if (__builtin_expect(!in_window(begin) || !make_room(stream), 0)) {
        *count_of_missing(stream, begin) += 1;
        return;
    }
    const std::uint64_t hash = hash_of_words(key.at);
    KnownSignature& known = tracer.known[hash & (kKnownSignatures - 1)];
    if (__builtin_expect(equal(known.key, key), 1)) {
        put_call(stream, known, begin, end);
    } else if (!keep_unknown(tracer, key, hash, known, begin, end)) {
        return;
    }
    if (listener != nullptr || !trace_window.whole) return;
    tracer.latest->next = &known;
    tracer.latest = &known;
}

void keep_next(Tracer& tracer, std::uint64_t begin, std::uint64_t end) {
    KnownSignature& known = *tracer.latest->next;
    state::TraceStreamRecord& stream = *tracer.stream;
    if (!has_room(stream)) return keep_any(tracer, known.key, begin, end);
    end_polls(tracer);
    tracer.latest = &known;
    put_call(stream, known, begin, end);
}

void start_polls(Tracer& tracer, const PollOrigin& poll_origin, const state::TraceKey& poll) {
    if (options.trace) end_polls(tracer);
    tracer.poll_origin = poll_origin;
    tracer.poll = poll;
}

void keep_pending(Tracer& tracer, std::uint64_t begin, std::uint64_t end, std::uint64_t ticks_before) {
    if (__builtin_expect(listener != nullptr, 0)) {
        state::TraceKey key = tracer.poll;
        key.found = 0;
        listener->call(key, begin, end);
        if (!options.trace) return;
    }
    state::TraceStreamRecord& stream = *tracer.stream;
    if (!in_window(begin) || !make_room(stream)) {
        if (stream.polls != 0) write_polls(stream);
        tracer.polls = count_of_missing(stream, begin);
        *tracer.polls += 1;
        return;
    }
    if (stream.polls == 0) {
        state::TraceKey key = tracer.poll;
        key.found = 0;
        const Signature signature = signature_of(key, hash_of(key));
        if (signature.number == Signature::kNoNumber || signature.like != nullptr) {
            keep_call(tracer, key, begin, end);  // The next poll is then timed, too.
            return;
        }
        stream.polls_signature = signature.number;
        stream.polls_begin_ticks = begin;
        tracer.ticks_before = ticks_before;
        tracer.polls = &stream.polls;
    }
    stream.polls_end_ticks = end;
    stream.polls_ticks = ticks_before - tracer.ticks_before + (end > begin ? end - begin : 0);
    __atomic_store_n(&stream.polls, stream.polls + 1, __ATOMIC_RELEASE);
}

void keep_found(Tracer& tracer, std::uint64_t begin, std::uint64_t end) { keep_call(tracer, tracer.poll, begin, end); }

}  // namespace waywiser::profile
