#include "explain/stream.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::explain {

std::uint64_t Stream::join_polls(bool may_poll) {
    constexpr std::uint64_t kBetweenPollsNs = 1000;
    const trace::Parameters& call = cursor.parameters();
    const trace::TracedCall& times = cursor.call();
    const Spin before = std::exchange(spin, {});
    if (!may_poll) return 0;
    std::uint64_t joined_ns = 0;
    const bool spins = before.polls > 0 && begin_ns - last_end_ns <= kBetweenPollsNs * before.polls;
    if (spins) {
        const Segment& latest = history->latest();
        if (latest.counted) joined_ns = latest.call_ns;
        history->pop();
        begin_ns = before.begin_ns;
        last_end_ns = before.before_ns;
        place = before.place_before;
    }
    if (call.found || !call.completed.empty()) return joined_ns;
    const std::uint64_t span_ns = times.end_ns - times.begin_ns;
    const std::uint64_t polls_ns = times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
    if (span_ns - polls_ns > kBetweenPollsNs * times.times) return joined_ns;
    spin = {.polls = times.times + (spins ? before.polls : 0),
            .begin_ns = begin_ns,
            .within_ns = polls_ns + (spins ? before.within_ns : 0),
            .before_ns = last_end_ns,
            .place_before = place};
    return joined_ns;
}

}  // namespace waywiser::explain
