/// The processes of a job, each of which may have left several states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// The process to which a state belongs, and the state's time.
struct ProcessHead {
    std::string host;
    std::uint32_t pid = 0;
    std::uint64_t process_start = 0;
    std::int64_t rank = -1;
    std::int64_t world_size = 0;
    std::uint64_t begin_ns = 0;  ///< by the host's CLOCK_MONOTONIC
    std::uint64_t end_ns = 0;    ///< time of the state's last update
    Ending ending = Ending::killed;

    [[nodiscard]] bool is_possible() const {
        return rank < std::max<std::int64_t>(world_size, 0) && world_size <= kMaxRanks;
    }

    /// \param processes  number of processes that have left a state
    [[nodiscard]] bool is_possible_among(std::size_t processes) const { return world_size <= most_ranks(processes); }

    /// \return a message about a head that is not possible
    [[nodiscard]] std::string damage(const std::string& path) const {
        return path + ": is damaged: it claims to be rank " + std::to_string(rank) + " of " +
               std::to_string(world_size);
    }
};

/// The latest state of each process, in the order in which the processes started. A process may leave several states: a
/// copy and a later one.
template <class State>
class Processes {
public:
    void add(const ProcessHead& head, State&& state) {
        const auto [place, is_new] = known_.try_emplace({head.host, head.pid, head.process_start}, states_.size());
        if (is_new) {
            states_.emplace_back(head, std::move(state));
        } else if (is_later(head, states_[place->second].first)) {
            states_[place->second] = {head, std::move(state)};
        }
    }

    [[nodiscard]] std::vector<std::pair<ProcessHead, State>> take() {
        std::ranges::sort(states_, {},
                          [](const auto& state) { return std::pair(state.first.begin_ns, state.first.pid); });
        return std::move(states_);
    }

private:
    static bool is_later(const ProcessHead& state, const ProcessHead& than) {
        if (state.end_ns != than.end_ns) return state.end_ns > than.end_ns;
        return than.ending == Ending::killed;  // A process appears killed until it has recorded how it ended.
    }

    std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::size_t> known_;
    std::vector<std::pair<ProcessHead, State>> states_;
};

/// Text for ranks, such as "rank 3" or "ranks 0-2, 7".
[[nodiscard]] inline std::string named(const std::vector<std::int64_t>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        if (i > 0) text += ", ";
        text += std::to_string(ranks[i]);
        if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace waywiser::trace
