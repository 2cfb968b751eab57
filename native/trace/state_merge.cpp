#include "trace/state_merge.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "trace/job_tables.hpp"
#include "trace/state_reader.hpp"

namespace waywiser::trace {
namespace {

/// "rank 3", "ranks 0-2, 7".
std::string named(const std::vector<std::int64_t>& ranks) {
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

bool calls(const RankProfile& process, std::string_view name) {
    return std::ranges::any_of(process.threads, [&](const ThreadProfile& thread) {
        return std::ranges::find(thread.functions, name, &FunctionProfile::name) != thread.functions.end();
    });
}

/// What it should have called before it ended.
std::string last_call_of(const RankProfile& rank) {
    const bool only_sessions =
        calls(rank, "MPI_Session_init") &&
        (calls(rank, "MPI_Finalize") || !(calls(rank, "MPI_Init") || calls(rank, "MPI_Init_thread")));
    return only_sessions ? "MPI_Session_finalize" : "MPI_Finalize";
}

std::string how_it_ended(const RankProfile& rank, bool job_has_ended) {
    const std::string where = rank.inside.empty() ? "outside MPI" : "inside " + rank.inside;
    switch (rank.ending) {
        case Ending::aborted: return "called MPI_Abort";
        case Ending::exited: return "ended " + where + " by exit, without " + last_call_of(rank);
        case Ending::killed: return "ended " + where + (job_has_ended ? " (killed)" : " (killed, or still running)");
        case Ending::finalised: break;
    }
    return "";
}

/// Why a process has no rank in the world.
constexpr const char* kUnranked =
    "ended before MPI_Init or MPI_Session_init had given a rank (is the program linked to another MPI than its "
    "launcher's?)";

void say_what_is_lost(Profile& profile, bool job_has_ended) {
    std::map<std::string, std::vector<std::int64_t>> by_reason;
    std::int64_t expected = 0;
    std::vector<std::int64_t> missing;
    for (const RankProfile& rank : profile.ranks) {
        while (expected < rank.rank) missing.push_back(expected++);
        expected = rank.rank + 1;
        if (rank.ending == Ending::finalised) continue;
        const bool in_call = rank.ending == Ending::killed && !rank.inside.empty();
        const std::string kept = std::string("what came before") + (in_call ? ", and the time of that call" : "");
        by_reason[how_it_ended(rank, job_has_ended) + "; the profile holds " + kept].push_back(rank.rank);
    }
    while (expected < profile.world_size) missing.push_back(expected++);
    if (!missing.empty()) profile.lost.push_back(named(missing) + " left no profile");
    for (const auto& [reason, ranks] : by_reason) {
        profile.lost.push_back(named(ranks) + " " + reason);
    }
}

bool is_possible(const ProcessState& process) {
    return process.profile.rank < std::max<std::int64_t>(process.world_size, 0) && process.world_size <= kMaxRanks;
}

using Process = std::tuple<std::string, std::uint32_t, std::uint64_t>;  // host, number, start

/// Of several states of one process (a copy and what came after it), the latest; in the order in
/// which the processes began.
class Processes {
public:
    void add(ProcessState&& state) {
        const RankProfile& profile = state.profile;
        const auto [place, is_new] =
            known_.try_emplace({profile.host, profile.pid, state.process_start}, states_.size());
        if (is_new) {
            states_.push_back(std::move(state));
        } else if (is_later(state, states_[place->second])) {
            states_[place->second] = std::move(state);
        }
    }

    std::vector<ProcessState> take() {
        std::ranges::sort(states_, {},
                          [](const ProcessState& state) { return std::pair(state.begin_ns, state.profile.pid); });
        return std::move(states_);
    }

private:
    static bool is_later(const ProcessState& state, const ProcessState& than) {
        if (state.end_ns != than.end_ns) return state.end_ns > than.end_ns;
        return than.profile.ending == Ending::killed;  // as it seems until it has said how it ended
    }

    std::map<Process, std::size_t> known_;
    std::vector<ProcessState> states_;
};

}  // namespace

Profile merge_states(const std::vector<std::string>& paths, bool job_has_ended) {
    Profile profile;
    JobTables tables(profile);
    Processes processes;
    for (const std::string& path : paths) {
        try {
            for (ProcessState& process : read_states(path)) {
                if (is_possible(process)) {
                    processes.add(std::move(process));
                } else {
                    profile.lost.push_back(path + ": is damaged: it claims to be rank " +
                                           std::to_string(process.profile.rank) + " of " +
                                           std::to_string(process.world_size));
                }
            }
        } catch (const InvalidInput& error) {
            if (std::filesystem::exists(path)) profile.lost.emplace_back(error.what());
        }
    }
    int unranked = 0;
    std::map<std::int64_t, RankProfile> ranks;
    for (ProcessState& process : processes.take()) {
        const RankProfile& rank = process.profile;
        if (rank.rank < 0) {
            ++unranked;
            continue;
        }
        profile.world_size = std::max(profile.world_size, process.world_size);
        profile.abi = process.abi;
        profile.library = process.library;
        profile.transport = process.transport;
        const std::int64_t number = rank.rank;
        tables.adopt(process);
        if (!ranks.try_emplace(number, std::move(process.profile)).second) {
            profile.lost.push_back("rank " + std::to_string(number) +
                                   " occurs in two MPI jobs of this run; only the first is kept");
        }
    }
    for (auto& [number, rank] : ranks) profile.ranks.push_back(std::move(rank));
    if (unranked > 0) {
        profile.lost.push_back(std::to_string(unranked) + (unranked == 1 ? " process " : " processes ") + kUnranked);
    }
    say_what_is_lost(profile, job_has_ended);
    return profile;
}

}  // namespace waywiser::trace
