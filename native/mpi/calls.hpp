/// MPI calls by their effect: the messages that they send, receive or match, and the requests that they complete.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/roles.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::mpi {

using trace::Action;

[[nodiscard]] constexpr bool sends(Action action) {
    return action == Action::send || action == Action::prepare_send || action == Action::send_receive;
}

[[nodiscard]] constexpr bool receives(Action action) {
    return action == Action::receive || action == Action::prepare_receive || action == Action::send_receive;
}

/// True if a call of this kind, such as MPI_Test or MPI_Iprobe, may return without success.
[[nodiscard]] constexpr bool may_poll(Action action, const CallRole& role) {
    return action == Action::complete || action == Action::probe || role.epoch == Epoch::wait;
}

/// True if two numbers are equal or one of them is kAny.
[[nodiscard]] constexpr bool same_or_any(std::int32_t a, std::int32_t b) {
    return a == b || a == trace::kAny || b == trace::kAny;
}

/// The messages that a receive, or a probe, accepts.
struct Selector {
    std::int32_t source = trace::kNone;  ///< may be kAny
    std::int32_t tag = trace::kNone;     ///< may be kAny

    [[nodiscard]] bool has_wildcard() const { return source == trace::kAny || tag == trace::kAny; }

    /// Replaces wildcards by the source and the tag of the message that was received.
    void settle(std::int32_t matched_source, std::int32_t matched_tag) {
        if (source == trace::kAny) source = matched_source;
        if (tag == trace::kAny) tag = matched_tag;
    }

    /// True if some message matches both selectors.
    [[nodiscard]] bool may_match(const Selector& other) const {
        return same_or_any(source, other.source) && same_or_any(tag, other.tag);
    }
};

/// The identity of a message, or of the collective that a call is a part of.
struct Envelope {
    Action action = Action::none;
    std::uint32_t function = 0;
    std::int32_t object = trace::kNone;
    std::int32_t peer = trace::kNone;
    std::int32_t tag = trace::kNone;
    Selector from = {};
    std::uint64_t bytes = 0;
};

[[nodiscard]] inline Envelope envelope_of(const trace::Parameters& call) {
    return {.action = call.action,
            .function = call.function,
            .object = call.object,
            .peer = call.peer,
            .tag = call.tag,
            .from = {.source = call.source, .tag = call.source_tag},
            .bytes = call.bytes};
}

/// The effect of a call, with all that a persistent request needs to repeat it.
struct Description : Envelope {
    std::uint64_t posted = 0;
    /// partitions of a send, which starts when all of them are ready; 0: it starts with the request
    std::int64_t partitions = 0;
    // NOLINTNEXTLINE(readability-redundant-member-init): g++ warns without
    std::vector<std::uint64_t> counts = {};
};

[[nodiscard]] inline Description description_of(const trace::Parameters& call) {
    return {envelope_of(call),
            call.posted,
            call.action == Action::prepare_send ? call.detail : 0,
            {call.counts.begin(), call.counts.end()}};
}

/// The item with a number; null if there is none.
template <class Items>
[[nodiscard]] auto* numbered(Items& items, std::int32_t number) {
    const auto index = static_cast<std::size_t>(number);
    return number < 0 || index >= items.size() ? nullptr : &items[index];
}

/// A list of ranks, which traces store as counts.
[[nodiscard]] inline std::vector<std::int32_t> ranks_of(std::span<const std::uint64_t> counts) {
    std::vector<std::int32_t> ranks(counts.size());
    std::ranges::transform(counts, ranks.begin(), [](std::uint64_t rank) { return static_cast<std::int32_t>(rank); });
    return ranks;
}

/// Calls `visit(request, completion)` for each request of a call that the call has completed.
template <class Visit>
void each_completed(std::span<const std::int32_t> requests, std::span<const trace::Completion> completed, Visit visit) {
    for (const trace::Completion& done : completed) {
        if (const std::int32_t* request = numbered(requests, done.index)) visit(*request, done);
    }
}

}  // namespace waywiser::mpi
