/// Reads live states: the copies that ranks saved, and what killed ranks left in memory.
#pragma once

#include <string>
#include <vector>

#include "trace/merging/processes.hpp"
#include "trace/records/node_state.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// One process's state, with its facts about the job.
struct ProcessState {
    ProcessHead head;
    RankProfile profile;  ///< its communicators and call sites are indices into the tables below
    std::vector<Communicator> communicators;
    std::vector<CallSite> call_sites;
    bool split_sync = false;
    std::string abi;
    std::string library;
    std::string transport;
};

struct SavedStates {
    std::vector<ProcessState> processes;
    std::vector<state::NodeState> nodes;
};

/// Whatever is whole in the file, which holds one state or many. Each may be cut anywhere, since
/// its process may be killed at any moment.
/// \throws InvalidInput  if there is no state of a process in it
[[nodiscard]] SavedStates read_states(const std::string& path);

}  // namespace waywiser::trace
