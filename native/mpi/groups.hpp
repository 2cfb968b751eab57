/// Members of communicators, windows and files.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/records/trace.hpp"

namespace waywiser::mpi {

/// World ranks of the members of the job's objects.
class Groups {
public:
    explicit Groups(const trace::TraceJob& job);

    /// \param object  index into TraceJob::objects
    /// \return kUnknown if the trace does not contain it
    [[nodiscard]] std::int64_t world_rank(std::uint32_t object, std::int64_t rank) const;

    /// \return `world_rank`'s rank among the members; -1 if it is not a member
    [[nodiscard]] std::int64_t rank_in(std::uint32_t object, std::int64_t world_rank) const;

private:
    const trace::TraceJob& job_;
    std::vector<std::vector<std::int64_t>> begins_;  ///< first ranks of each object's strides, as ranks of the object
};

/// \return index into TraceJob::ranks by world rank, or -1
[[nodiscard]] std::vector<std::int32_t> rank_indices(const trace::TraceJob& job);

}  // namespace waywiser::mpi
