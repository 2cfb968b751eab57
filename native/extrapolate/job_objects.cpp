#include "extrapolate/job_objects.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace waywiser::extrapolate {
namespace {

constexpr std::uint32_t kOfAll = 0;

}  // namespace

JobObjects::JobObjects(std::vector<trace::TraceObject>& objects, const Where& any) : objects_(objects) {
    object(group(Membership{}, any), 0);
}

std::vector<std::uint32_t> JobObjects::of(const Groups& groups, const Where& where) {
    std::vector<std::pair<const Group*, std::size_t>> before;  // number of earlier objects of each group
    std::vector<std::uint32_t> indices;
    for (const std::optional<Membership>& rule : groups) {
        if (!rule) {
            indices.push_back(kOfAll);
            continue;
        }
        Group& own = group(*rule, where);
        auto count = std::ranges::find(before, &own, [](const auto& counted) { return counted.first; });
        if (count == before.end()) count = before.insert(before.end(), {&own, 0});
        indices.push_back(object(own, count->second++));
    }
    return indices;
}

JobObjects::Group& JobObjects::group(const Membership& rule, const Where& where) {
    auto known = std::ranges::find(by_rule_, rule, [](const auto& entry) { return entry.first; });
    if (known == by_rule_.end()) known = by_rule_.insert(by_rule_.end(), {rule, {}});
    Group*& slot = known->second[rule.first(where)];
    if (slot != nullptr) return *slot;
    const std::vector<trace::Stride> members = rule.members(where);
    std::vector<std::int64_t> key;
    for (const auto& [first, stride, count] : members) key.insert(key.end(), {first, stride, count});
    slot = &groups_[key];
    slot->members = members;
    return *slot;
}

/// \param before  number of objects of the group before this one
std::uint32_t JobObjects::object(Group& group, std::size_t before) {
    if (before < group.objects.size()) return group.objects[before];
    std::int64_t size = 0;
    for (const trace::Stride& stride : group.members) size += stride.count;
    const auto index = static_cast<std::uint32_t>(objects_.size());
    objects_.push_back({.context = index + 1U, .size = size, .name = {}, .members = group.members, .own_group = {}});
    group.objects.push_back(index);
    return index;
}

void JobObjects::check(std::span<const trace::TraceRank> ranks) const {
    std::vector<std::int64_t> having(objects_.size());
    for (const trace::TraceRank& rank : ranks) {
        for (const std::uint32_t object : rank.objects) ++having[object];
    }
    for (std::size_t i = kOfAll + 1; i < objects_.size(); ++i) {
        const trace::Stride& first = objects_[i].members.front();
        require(having[i] == objects_[i].size,
                "ranks: on " + std::to_string(ranks.size()) + ", " + std::to_string(having[i]) + " of the " +
                    std::to_string(objects_[i].size) + " ranks that share a communicator with rank " +
                    std::to_string(first.first) + " make it; record larger runs");
    }
}

}  // namespace waywiser::extrapolate
