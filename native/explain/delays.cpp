#include "explain/delays.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace waywiser::explain {
namespace {

/// The part of [begin, end] after `since`.
std::uint64_t after(std::uint64_t since, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = std::max(since, begin);
    return end > from ? end - from : 0;
}

__extension__ using Wide = unsigned __int128;

/// ns * part / whole, also for values whose product has more than 64 bits.
std::uint64_t fraction(std::uint64_t ns, std::uint64_t part, std::uint64_t whole) {
    if (part == whole) return ns;
    if ((ns | part) >> 32U == 0) return ns * part / whole;
    return static_cast<std::uint64_t>(static_cast<Wide>(ns) * part / whole);
}

}  // namespace

void Delays::Waiting::add(std::int64_t waiting, std::uint64_t ns) {
    auto* least = rank.data();
    for (auto& entry : rank) {
        if (entry.second > 0 && entry.first == waiting) {
            entry.second += ns;
            return;
        }
        if (entry.second < least->second) least = &entry;
    }
    const std::uint64_t loss = std::min(ns, least->second);
    if (loss > 0) {
        for (auto& entry : rank) entry.second -= loss;
    }
    if (ns > loss) *least = {waiting, ns - loss};
}

std::int64_t Delays::Waiting::most() const {
    return std::ranges::max_element(rank, {}, [](const auto& entry) { return entry.second; })->first;
}

std::uint32_t Delays::origin(std::int64_t rank, std::uint32_t interval) {
    std::uint32_t& number = origin_numbers_[static_cast<std::uint64_t>(rank) << 32U | interval];
    if (number == 0) {
        origins_.push_back({.rank = rank, .interval = interval});
        cause_numbers_.emplace_back();
        number = static_cast<std::uint32_t>(origins_.size());
    }
    return number - 1;
}

/// Adds the stream's activity from `since_ns` to the start of its call, multiplied by the sign.
template <int sign>
void Delays::add_excess(std::uint32_t stream, std::uint64_t call, std::uint64_t since_ns) {
    const auto add = [](Excess& excess, std::uint32_t number, std::uint64_t ns) {
        excess.add(number, sign * static_cast<std::int64_t>(ns));
    };
    const History& history = histories_[stream];
    const auto add_wait = [&](std::uint64_t number, std::uint64_t waited_ns) {
        const Shares& shares = history.shares(number);
        const std::uint64_t all_ns = shares.ns();
        for (std::uint32_t k = 0; k < shares.number; ++k) {
            const Share& share = shares.part[k];
            add(origins_excess_, share.origin, fraction(share.ns, waited_ns, all_ns));
        }
    };
    const auto add_computation = [&](const Segment& segment, std::uint64_t begin_ns) {
        add(interval_excess_, segment.computing, after(since_ns, begin_ns - segment.computation_ns, begin_ns));
    };
    const std::uint64_t first = history.begin();
    const Segment& last = history[call];
    add_computation(last, last.end_ns - last.call_ns);
    for (std::uint64_t i = call; i-- > first;) {
        const Segment& segment = history[i];
        const std::uint64_t begin_ns = segment.end_ns - segment.call_ns;
        if (begin_ns - segment.computation_ns >= since_ns) {
            add(interval_excess_, segment.within, segment.call_ns - segment.wait_ns);
            if (segment.wait_ns > 0) add_wait(i, segment.wait_ns);
            add(interval_excess_, segment.computing, segment.computation_ns);
            continue;
        }
        if (segment.end_ns <= since_ns) return;
        const std::uint64_t waited_until_ns = begin_ns + segment.wait_ns;
        add(interval_excess_, segment.within, after(since_ns, waited_until_ns, segment.end_ns));
        if (const std::uint64_t waited_ns = after(since_ns, begin_ns, waited_until_ns); waited_ns > 0) {
            add_wait(i, waited_ns);
        }
        return add_computation(segment, begin_ns);
    }
}

void Delays::add(const WaitedFor& waited) {
    History& history = histories_[waited.stream];
    const std::uint64_t waiting_call = history.end() - 1;
    // Segments that one history has lost are left out of the other one, too.
    std::uint64_t since_ns = waited.since_ns;
    for (const std::uint32_t stream : {waited.stream, waited.awaited}) {
        const History& known = histories_[stream];
        if (known.begin() > 0) since_ns = std::max(since_ns, known[known.begin()].end_ns);
    }
    interval_excess_.fit(intervals_.size());
    origins_excess_.fit(origins_.size());
    add_excess<1>(waited.awaited, waited.call, since_ns);
    add_excess<-1>(waited.stream, waiting_call, since_ns);

    // The times of both ranks add up: the wait is the late rank's excess in computation, calls and waits. Excesses are
    // ordered by the late rank's latest activity first; the first of equal ones counts.
    std::int64_t own_excess_ns = 0;
    std::int64_t most_ns = 0;
    std::uint32_t where = histories_[waited.awaited][waited.call].computing;
    interval_excess_.take([&](std::uint32_t interval, std::int64_t excess_ns) {
        own_excess_ns += excess_ns;
        if (excess_ns <= most_ns) return;
        most_ns = excess_ns;
        where = interval;
    });

    std::array<Share, Shares::kMost - 1> largest = {};
    std::uint32_t number = 0;
    std::int64_t inherited_excess_ns = 0;
    origins_excess_.take([&](std::uint32_t origin, std::int64_t excess_ns) {
        inherited_excess_ns += excess_ns;
        if (excess_ns <= 0) return;
        const Share share{.origin = origin, .ns = static_cast<std::uint64_t>(excess_ns)};
        std::uint32_t at = number;
        while (at > 0 && largest[at - 1].ns < share.ns) --at;
        if (at == largest.size()) return;
        if (number < largest.size()) ++number;
        std::copy_backward(largest.begin() + at, largest.begin() + number - 1, largest.begin() + number);
        largest[at] = share;
    });

    const auto own_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, own_excess_ns));
    const auto inherited_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, inherited_excess_ns));
    // Their sum may exceed the wait, or be smaller if the ranks were not exactly synchronised, so they are scaled.
    const std::uint64_t all_ns = own_ns + inherited_ns;
    std::uint64_t kept_ns = 0;
    for (std::uint32_t k = 0; k < number; ++k) kept_ns += largest[k].ns;
    const std::uint64_t inherited_wait_ns = all_ns == 0 ? 0 : fraction(waited.ns, inherited_ns, all_ns);
    Shares& shares = history.shares(waiting_call);
    shares.number = 0;
    std::uint64_t left_ns = waited.ns;
    for (std::uint32_t k = 0; k < number; ++k) {
        std::uint64_t ns = fraction(inherited_wait_ns, largest[k].ns, kept_ns);
        if (own_ns == 0 && k + 1 == number) ns = left_ns;
        if (ns > 0) shares.part[shares.number++] = {.origin = largest[k].origin, .ns = ns};
        left_ns -= ns;
    }
    if (left_ns > 0) {
        const std::uint32_t own = origin(ranks_[waited.awaited], where);
        auto* const end = shares.part.begin() + shares.number;
        auto* const part = std::ranges::find(shares.part.begin(), end, own, &Share::origin);
        if (part == end) shares.part[shares.number++] = {.origin = own, .ns = 0};
        part->ns += left_ns;
    }
    if (!waited.counted) return;
    for (std::uint32_t k = 0; k < shares.number; ++k) count(waited, shares.part[k]);
}

void Delays::count(const WaitedFor& waited, const Share& share) {
    const History& history = histories_[waited.stream];
    const std::uint32_t place = intervals_.interval(history[history.end() - 1].within).after;
    const std::uint64_t kind = std::uint64_t{place} * kWaits + static_cast<std::uint64_t>(waited.wait);
    std::uint32_t& known = cause_numbers_[share.origin][kind];
    if (known == 0) {
        causes_.push_back({.wait = waited.wait, .place = place, .origin = share.origin, .waiting = {}});
        known = static_cast<std::uint32_t>(causes_.size());
    }
    Counted& cause = causes_[known - 1];
    cause.ns += share.ns;
    ++cause.calls;
    if (origins_[share.origin].rank == ranks_[waited.awaited]) cause.direct_ns += share.ns;
    cause.waiting.add(ranks_[waited.stream], share.ns);
}

std::vector<Cause> Delays::causes() const {
    std::vector<Cause> all;
    all.reserve(causes_.size());
    for (const Counted& cause : causes_) {
        const Origin& origin = origins_[cause.origin];
        const Interval& interval = intervals_.interval(origin.interval);
        all.push_back({.wait = cause.wait,
                       .waiting = intervals_.place(cause.place),
                       .causing_rank = origin.rank,
                       .computing = interval.computing,
                       .before = intervals_.place(interval.before),
                       .after = intervals_.place(interval.after),
                       .ns = cause.ns,
                       .calls = cause.calls,
                       .direct_ns = cause.direct_ns,
                       .most_waiting_rank = cause.waiting.most()});
    }
    std::ranges::sort(all, [](const Cause& a, const Cause& b) {
        return std::tie(b.ns, a.wait, a.waiting, a.causing_rank, a.computing, a.before, a.after) <
               std::tie(a.ns, b.wait, b.waiting, b.causing_rank, b.computing, b.before, b.after);
    });
    return all;
}

}  // namespace waywiser::explain
