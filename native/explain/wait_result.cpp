/// What the wait analysis gives in the end.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

WaitAnalysis WaitAnalyser::result() {
    WaitAnalysis analysis;
    analysis.causes = delays_.causes();
    for (const Cause& cause : analysis.causes) {
        waits_[static_cast<std::size_t>(rank_index_[static_cast<std::size_t>(cause.causing_rank)])].caused_ns +=
            cause.ns;
    }
    pairs_.each([&](std::uint64_t key, const std::array<Pair, 2>& both) {
        const std::array<std::int64_t, 2> ranks{static_cast<std::int64_t>(key >> 32U),
                                                static_cast<std::int64_t>(key & 0xffffffffU)};
        for (const std::size_t one : {0U, 1U}) {
            if (both[one].calls == 0) continue;
            analysis.pairs.push_back(
                {.waiting = ranks[one], .awaited = ranks[1 - one], .ns = both[one].ns, .calls = both[one].calls});
        }
    });
    std::ranges::sort(analysis.pairs, {},
                      [](const WaitingPair& pair) { return std::pair(pair.waiting, pair.awaited); });

    const auto last = std::ranges::max_element(streams_, {}, &StreamState::last_end_ns);
    if (last != streams_.end()) {
        std::map<std::tuple<std::int64_t, bool, std::uint32_t>, std::uint64_t> places;
        paths_.sums(static_cast<std::uint32_t>(last - streams_.begin())).each([&](std::uint64_t key, std::uint64_t ns) {
            if (ns == 0) return;
            const std::uint32_t rank = streams_[key >> 32U].rank;
            const Stretch& stretch = stretches_.stretch(static_cast<std::uint32_t>(key));
            places[{ranks_[rank].rank, stretch.computing, stretch.before}] += ns;
            waits_[rank].critical_ns += ns;
            analysis.critical_path_ns += ns;
        });
        for (const auto& [place, ns] : places) {
            analysis.critical_path.push_back({.rank = std::get<0>(place),
                                              .computing = std::get<1>(place),
                                              .place = stretches_.place(std::get<2>(place)),
                                              .ns = ns});
        }
        std::ranges::sort(analysis.critical_path, [](const CriticalPlace& a, const CriticalPlace& b) {
            return std::tie(b.ns, a.rank, a.computing, a.place) < std::tie(a.ns, b.rank, b.computing, b.place);
        });
    }
    analysis.ranks = std::move(waits_);
    analysis.over_time = std::move(over_time_);
    analysis.unmatched_sends = messages_.left(true);
    analysis.unmatched_receives = unmatched_receives_ + messages_.left(false);

    const auto remark = [&](std::uint64_t number, const char* one, const char* many, const char* rest) {
        if (number == 0) return;
        analysis.remarks.push_back(std::to_string(number) + " " + (number == 1 ? one : many) + rest);
    };
    remark(violations_, "message or collective arrived before it was sent",
           "messages or collectives arrived before they were sent",
           " by the clocks of the trace: such a wait is counted as long as its call");
    remark(unmatched_collectives_, "call of a collective lacks", "calls of collectives lack",
           " calls of other ranks and is not counted as waiting");
    remark(unknown_peers_, "message is", "messages are",
           " to or from ranks that the trace does not know, and left out");
    remark(
        not_followed_, "call belongs", "calls belong",
        " to an epoch of a window whose begin the trace lacks, or to a topology that it does not describe: what these "
        "wait for is not known");
    remark(lost_chains_, "wait ended", "waits ended", " too long after its cause for the critical path to follow");
    return analysis;
}

}  // namespace waywiser::explain
