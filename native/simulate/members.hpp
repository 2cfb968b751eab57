/// Members of a communicator: its ranks by their number in the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/records/trace.hpp"

namespace waywiser::simulate {

/// An object of the job, with its ranks as indices into TraceJob::ranks.
class Group {
public:
    static constexpr std::int32_t kUnknown = -1;

    Group() = default;
    /// \param index_of  index of each world rank, or kUnknown
    Group(const std::vector<trace::Stride>& members, const std::vector<std::int32_t>& index_of);

    [[nodiscard]] int size() const { return size_; }

    /// \return kUnknown if there is no such member, or its calls are not in the trace
    [[nodiscard]] std::int32_t index(std::int32_t member) const {
        if (member < 0 || member >= size_) return kUnknown;
        return listed_.empty() ? member + first_ : listed_[static_cast<std::size_t>(member)];
    }

    /// \return kUnknown if the rank is not a member
    [[nodiscard]] int place(std::uint32_t index) const;

private:
    int size_ = 0;
    std::int32_t first_ = 0;                            ///< the first rank, if ranks are consecutive
    std::vector<std::int32_t> listed_;                  ///< all ranks, if they are not consecutive
    std::vector<std::pair<std::int32_t, int>> places_;  ///< index and place of each listed rank, sorted
};

/// A communicator, a window or a file of the job.
struct JobObject {
    std::uint32_t context = 0;  ///< equal on all ranks
    bool intercommunicator = false;
    Group members;        ///< group to which peers belong
    Group all;            ///< both groups of an intercommunicator, equal on both sides
    int own_begin = 0;    ///< first place of the own group in `all`
    int other_begin = 0;  ///< first place of `members` in `all`
};

[[nodiscard]] std::vector<JobObject> job_objects(const trace::TraceJob& job);

}  // namespace waywiser::simulate
