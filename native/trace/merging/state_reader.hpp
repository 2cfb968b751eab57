/// Reads states: the copies that ranks saved, and those that killed ranks left in memory.
#pragma once

#include <string>
#include <vector>

#include "trace/merging/processes.hpp"
#include "trace/records/node_state.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// One process's state with its data on the job.
struct ProcessState {
    ProcessHead head;
    RankProfile profile;  ///< its communicators and call sites are indices into the members below
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

/// Reads all intact data of a file with one or more states. Each state may be truncated anywhere, since its process may
/// be killed at any moment.
/// \throws InvalidInput  if it contains no state of a process
[[nodiscard]] SavedStates read_states(const std::string& path);

}  // namespace waywiser::trace
