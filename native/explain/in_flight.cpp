#include "explain/in_flight.hpp"

#include <algorithm>
#include <tuple>

namespace waywiser::explain {
namespace {

std::uint64_t number_of(const std::vector<trace::Stride>& strides) {
    std::uint64_t number = 0;
    for (const trace::Stride& stride : strides)
        number += static_cast<std::uint64_t>(std::max<std::int64_t>(0, stride.count));
    return number;
}

}  // namespace

InFlight::InFlight(const trace::TraceJob& job) {
    std::map<std::tuple<trace::TraceObject::Kind, std::uint64_t>, std::uint32_t> by_context;
    for (const trace::TraceObject& object : job.objects) {
        const auto [known, added] = by_context.try_emplace({object.kind, object.context}, groups.size());
        std::uint64_t size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, object.size));
        if (object.intercommunicator) size += number_of(object.own_group);
        if (added) groups.emplace_back(size);
        group_of.push_back(known->second);
    }
    world = static_cast<std::uint32_t>(groups.size());
    groups.emplace_back(job.ranks.size());
}

}  // namespace waywiser::explain
