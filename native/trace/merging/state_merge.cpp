#include "trace/merging/state_merge.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/merging/job_tables.hpp"
#include "trace/merging/node_states.hpp"
#include "trace/merging/processes.hpp"
#include "trace/merging/state_reader.hpp"

namespace waywiser::trace {
namespace {

bool calls(const RankProfile& process, std::string_view name) {
    return std::ranges::any_of(process.threads, [&](const ThreadProfile& thread) {
        return std::ranges::find(thread.functions, name, &FunctionProfile::name) != thread.functions.end();
    });
}

/// The call that the rank should have made before it ended.
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

/// The reason why a process has no rank in the world.
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
        const char* last = rank.end_unseen ? "; the time of its end is not known"
                           : in_call       ? ", and the time of that call"
                                           : "";
        by_reason[how_it_ended(rank, job_has_ended) + "; the profile holds what came before" + last].push_back(
            rank.rank);
    }
    while (expected < profile.world_size) missing.push_back(expected++);
    if (!missing.empty()) profile.lost.push_back(named(missing) + " left no profile");
    for (const auto& [reason, ranks] : by_reason) {
        profile.lost.push_back(named(ranks) + " " + reason);
    }
}

}  // namespace

Profile merge_states(const std::vector<std::string>& paths, bool job_has_ended) {
    Profile profile;
    JobTables tables(profile);
    Processes<ProcessState> processes;
    Nodes nodes;
    for (const std::string& path : paths) {
        try {
            SavedStates saved = read_states(path);
            for (const state::NodeState& node : saved.nodes) nodes.add(node);
            for (ProcessState& process : saved.processes) {
                const ProcessHead head = process.head;
                if (head.is_possible()) {
                    processes.add(head, std::move(process));
                } else {
                    profile.lost.push_back(head.damage(path));
                }
            }
        } catch (const InvalidInput& error) {
            if (SharedFile(path).is_open()) profile.lost.emplace_back(error.what());
        } catch (const Error& error) {
            if (job_has_ended) throw;  // The profile would replace one that may be complete.
            profile.lost.emplace_back(error.what());
        }
    }
    int unranked = 0;
    std::map<std::int64_t, RankProfile> ranks;
    std::vector<std::pair<ProcessHead, ProcessState>> all = processes.take();
    for (auto& [head, process] : all) {
        const RankProfile& rank = process.profile;
        if (!head.is_possible_among(all.size())) {
            profile.lost.push_back(head.damage("a state of " + head.host));
            continue;
        }
        if (rank.rank < 0) {
            ++unranked;
            continue;
        }
        profile.world_size = std::max(profile.world_size, head.world_size);
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
    profile.nodes = nodes.joined();
    if (unranked > 0) {
        profile.lost.push_back(std::to_string(unranked) + (unranked == 1 ? " process " : " processes ") + kUnranked);
    }
    say_what_is_lost(profile, job_has_ended);
    return profile;
}

}  // namespace waywiser::trace
