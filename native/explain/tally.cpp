#include "explain/tally.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::explain {
namespace {

/// A rank's time in the window.
std::uint64_t wall_ns(const trace::TraceRank& rank, const TimeWindow& counted) {
    const std::uint64_t begin = std::max(rank.begin_ns, counted.begin_ns);
    const std::uint64_t end = std::min(rank.end_ns, counted.end_ns);
    return end > begin ? end - begin : 0;
}

/// Bins from the first call in the window to the end of the last call.
WaitsOverTime empty_bins(const trace::TraceJob& job, const TimeWindow& counted) {
    std::uint64_t begin_ns = counted.end_ns;
    std::uint64_t end_ns = counted.begin_ns;
    for (const trace::TraceStream& stream : job.streams) {
        begin_ns = std::min(begin_ns, stream.begin_ns);
        end_ns = std::max(end_ns, stream.end_ns);
    }
    begin_ns = std::max(begin_ns, counted.begin_ns);
    end_ns = std::max(begin_ns, std::min(end_ns, counted.end_ns));
    // Times of a damaged trace may span all 64 bits, so that adding to them could overflow.
    const auto rounded_up = [](std::uint64_t ns, std::uint64_t by) { return ns / by + (ns % by != 0 ? 1 : 0); };
    const std::uint64_t span_ns = end_ns - begin_ns;
    const std::uint64_t bin_ns = std::max<std::uint64_t>(1, rounded_up(span_ns, kMostWaitBins));
    WaitsOverTime bins{.begin_ns = begin_ns, .bin_ns = bin_ns, .ns = {}};
    bins.ns.resize(rounded_up(span_ns, bin_ns));
    return bins;
}

}  // namespace

std::vector<WaitingPair> WaitingPairs::list() {
    std::vector<WaitingPair> list;
    pairs_.each([&](std::uint64_t key, const Pair& pair) {
        const std::array<std::int64_t, 2> ranks{static_cast<std::int64_t>(key >> 32U),
                                                static_cast<std::int64_t>(key & 0xffffffffU)};
        for (const std::size_t waiter : {0U, 1U}) {
            const Direction& direction = pair.directions[waiter];
            if (direction.calls == 0) continue;
            list.push_back(
                {.waiting = ranks[waiter], .awaited = ranks[1 - waiter], .ns = direction.ns, .calls = direction.calls});
        }
    });
    std::ranges::sort(list, {}, [](const WaitingPair& pair) { return std::pair(pair.waiting, pair.awaited); });
    return list;
}

WaitSums::WaitSums(const trace::TraceJob& job, const TimeWindow& counted) : over_time_(empty_bins(job, counted)) {
    for (const trace::TraceRank& rank : job.ranks) {
        ranks_.push_back({.rank = rank.rank,
                          .wall_ns = wall_ns(rank, counted),
                          .mpi_ns = 0,
                          .wait_ns = {},
                          .caused_ns = 0,
                          .critical_ns = 0});
    }
}

void WaitSums::add(std::uint32_t rank, Wait wait, std::uint64_t begin_ns, std::uint64_t end_ns) {
    const auto kind = static_cast<std::size_t>(wait);
    ranks_[rank].wait_ns[kind] += end_ns - begin_ns;
    const std::uint64_t first_ns = over_time_.begin_ns;
    const std::uint64_t bin_ns = over_time_.bin_ns;
    for (std::uint64_t at = std::max(begin_ns, first_ns); at < end_ns;) {
        const std::uint64_t bin = (at - first_ns) / bin_ns;
        if (bin >= over_time_.ns.size()) return;
        const std::uint64_t within_ns = std::min(end_ns - at, bin_ns - (at - first_ns) % bin_ns);
        over_time_.ns[bin][kind] += within_ns;
        at += within_ns;
    }
}

std::vector<std::string> Omissions::remarks() const {
    std::vector<std::string> remarks;
    const auto remark = [&](std::uint64_t number, const char* single, const char* many, const char* rest) {
        if (number == 0) return;
        remarks.push_back(std::to_string(number) + " " + (number == 1 ? single : many) + rest);
    };
    remark(violations, "message or collective arrived before it was sent",
           "messages or collectives arrived before they were sent",
           " by the clocks of the trace: such a wait is counted as long as its call");
    remark(unmatched_collectives, "call of a collective lacks", "calls of collectives lack",
           " calls of other ranks and is not counted as waiting");
    remark(unknown_peers, "message is", "messages are", " to or from ranks that the trace does not know, and left out");
    remark(
        not_followed, "call belongs", "calls belong",
        " to an epoch of a window whose begin the trace lacks, or to a topology that it does not describe: what these "
        "wait for is not known");
    remark(lost_chains, "wait ended", "waits ended", " too long after its cause for the critical path to follow");
    return remarks;
}

}  // namespace waywiser::explain
