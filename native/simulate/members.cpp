#include "simulate/members.hpp"

#include <algorithm>
#include <map>

#include "mpi/groups.hpp"

namespace waywiser::simulate {

Group::Group(const std::vector<trace::Stride>& members, const std::vector<std::int32_t>& index_of) {
    const auto index = [&](std::int64_t rank) {
        return rank < 0 || static_cast<std::size_t>(rank) >= index_of.size() ? kUnknown
                                                                             : index_of[static_cast<std::size_t>(rank)];
    };
    for (const auto& [first, stride, count] : members) {
        for (std::int64_t i = 0; i < count; ++i) listed_.push_back(index(first + i * stride));
        if (static_cast<std::int64_t>(listed_.size()) > trace::kMaxRanks) break;
    }
    size_ = static_cast<int>(listed_.size());
    if (size_ == 0) return;
    first_ = listed_.front();
    bool consecutive = first_ >= 0;
    for (std::size_t i = 0; i < listed_.size(); ++i) {
        consecutive = consecutive && listed_[i] == first_ + static_cast<std::int32_t>(i);
        places_.emplace_back(listed_[i], static_cast<int>(i));
    }
    if (consecutive) {
        listed_ = {};
        places_ = {};
    }
    std::ranges::sort(places_);
}

int Group::place(std::uint32_t index) const {
    const auto number = static_cast<std::int32_t>(index);
    if (places_.empty()) return number >= first_ && number - first_ < size_ ? number - first_ : kUnknown;
    const auto entry = std::ranges::lower_bound(places_, std::pair(number, 0));
    return entry == places_.end() || entry->first != number ? kUnknown : entry->second;
}

std::vector<JobObject> job_objects(const trace::TraceJob& job) {
    const std::vector<std::int32_t> index_of = mpi::rank_indices(job);
    std::map<std::uint64_t, std::uint32_t> contexts;
    std::vector<JobObject> objects;
    for (const trace::TraceObject& object : job.objects) {
        JobObject result;
        result.context =
            contexts.try_emplace(object.context, static_cast<std::uint32_t>(contexts.size())).first->second;
        result.intercommunicator = object.intercommunicator;
        result.members = Group(object.members, index_of);
        if (result.intercommunicator) {
            const Group own(object.own_group, index_of);
            const bool own_first = own.index(0) < result.members.index(0);
            const auto& first = own_first ? object.own_group : object.members;
            const auto& second = own_first ? object.members : object.own_group;
            std::vector<trace::Stride> both = first;
            both.insert(both.end(), second.begin(), second.end());
            result.all = Group(both, index_of);
            result.own_begin = own_first ? 0 : result.members.size();
            result.other_begin = own_first ? own.size() : 0;
        }
        objects.push_back(std::move(result));
    }
    return objects;
}

}  // namespace waywiser::simulate
