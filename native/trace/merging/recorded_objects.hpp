/// Communicators, windows and files of a job, which each member numbers by itself.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "trace/merging/recorded_process.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::trace {

class RecordedObjects {
public:
    /// Takes a process's objects, and the members of the communicators in which it is rank 0.
    /// \return the job's numbers, indexed by the process's own
    [[nodiscard]] std::vector<std::uint32_t> adopt(const RecordedProcess& process);

    /// The job's objects, after all processes have been added.
    [[nodiscard]] std::vector<TraceObject> finish();

private:
    /// The set of processes to which peers belong: size, fingerprint, and true for an intercommunicator.
    using Group = std::tuple<std::int64_t, std::uint64_t, bool>;

    /// Both sides of an intercommunicator have the same context.
    using Key = std::tuple<std::uint64_t, std::uint64_t, Group>;

    std::uint32_t number_of(const state::TraceObjectRecord& record, const RecordedProcess& process);
    std::uint32_t unknown();
    void find_own_group(std::size_t object, const Key& key);

    std::map<Key, std::uint32_t> numbers_;
    std::map<Group, std::vector<Stride>> members_;
    std::vector<TraceObject> objects_;
};

}  // namespace waywiser::trace
