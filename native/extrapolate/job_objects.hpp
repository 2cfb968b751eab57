/// The communicators of an extrapolated job, one object for each group of ranks that makes one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extrapolate/groups.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::extrapolate {

/// Numbers objects. All members of a group make its communicators in the same order, but each under its own numbers.
/// The second communicator that a rank has of a group is therefore the second one of all members.
class JobObjects {
public:
    /// Rules by a rank's own numbers of objects; none: no call needs the object, which counts as that of all ranks.
    using Groups = std::vector<std::optional<Membership>>;

    /// \param objects  objects of the job, to which this adds; the first one is that of all ranks
    /// \param any      any rank of the job
    JobObjects(std::vector<trace::TraceObject>& objects, const Where& any);

    /// Indices of the objects of a rank, by its own numbers.
    [[nodiscard]] std::vector<std::uint32_t> of(const Groups& groups, const Where& where);

    /// \throws InvalidInput  if some members of a group do not have its object
    void check(std::span<const trace::TraceRank> ranks) const;

private:
    struct Group {
        std::vector<trace::Stride> members;
        std::vector<std::uint32_t> objects;  ///< in the order in which the members make them
    };

    [[nodiscard]] Group& group(const Membership& rule, const Where& where);
    std::uint32_t object(Group& group, std::size_t before);

    std::vector<trace::TraceObject>& objects_;
    std::map<std::vector<std::int64_t>, Group> groups_;  ///< by the strides of their members
    /// groups by rule and first rank
    std::vector<std::pair<Membership, std::unordered_map<std::int64_t, Group*>>> by_rule_;
};

}  // namespace waywiser::extrapolate
