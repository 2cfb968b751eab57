/// Tables that the ranks of a job share: communicators and call sites, each listed once.
#pragma once

#include <map>
#include <tuple>

#include "trace/merging/state_reader.hpp"

namespace waywiser::trace {

class JobTables {
public:
    explicit JobTables(Profile& profile) : profile_(profile) {}

    /// Adds a process's communicators and call sites to the job's tables, and makes the profile refer to these tables.
    void adopt(ProcessState& process);

private:
    std::uint64_t index_of(const Communicator& communicator);
    std::uint64_t index_of(const CallSite& site);

    Profile& profile_;
    std::map<std::tuple<std::int64_t, std::uint64_t, bool>, std::uint64_t> communicators_;
    std::map<CallSite, std::uint64_t> call_sites_;
};

}  // namespace waywiser::trace
