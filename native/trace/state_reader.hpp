/// Reads live states: the copies that ranks saved, and what killed ranks left in memory.
#pragma once

#include <string>
#include <vector>

#include "trace/profile.hpp"

namespace waywiser::trace {

/// One process's state, with what it says of the job.
struct ProcessState {
    RankProfile profile;  ///< its communicators and call sites are indices into those below
    std::vector<Communicator> communicators;
    std::vector<CallSite> call_sites;
    bool split_sync = false;
    std::int64_t world_size = 0;
    std::string abi;
    std::string library;
    std::string transport;
};

/// Whatever is whole in the file; a state may be cut anywhere, since its process may be killed
/// at any moment.
/// \throws InvalidInput  if the file is no state at all
[[nodiscard]] ProcessState read_state(const std::string& path);

/// Joins the states of a job's processes. Never fails for one that is bad or missing: `lost` says
/// it instead.
/// \param job_has_ended  that is, a rank that has not finalised was killed
[[nodiscard]] Profile merge_states(const std::vector<std::string>& paths, bool job_has_ended);

}  // namespace waywiser::trace
