#include "simulate/collective_choice.hpp"

#include <optional>
#include <vector>

namespace waywiser::simulate {

collectives::Stages CollectiveChoice::stages(collectives::Collective collective, const std::string& name,
                                             bool nonblocking, collectives::Operation operation, const Group& group) {
    operation.nodes = nodes_of(group);
    const auto specified = common_.specified.find(collective);
    if (specified != common_.specified.end() && !collectives::lengths_differ(collective, name, operation)) {
        const bool lacks_switches = specified->second->switches != nullptr && !has_switches(group);
        if (specified->second->supports(operation) && !lacks_switches) {
            return collectives::stages_by(*specified->second, operation);
        }
        ++remarks_[std::string(specified->second->name) +
                   " does not support all calls of its collective; these are simulated as without it"];
    }
    return collectives::stages_of(common_.rules, collective, name, operation, nonblocking);
}

/// \return none if all ranks are on one node
const collectives::Nodes* CollectiveChoice::nodes_of(const Group& group) {
    if (common_.nodes < 2) return nullptr;
    std::unique_ptr<collectives::Nodes>& known = nodes_[&group];
    if (!known) {
        std::vector<std::int64_t> nodes;
        for (int member = 0; member < group.size(); ++member) {
            const std::int32_t rank = group.index(member);
            nodes.push_back(rank == Group::kUnknown ? Group::kUnknown
                                                    : common_.ranks[static_cast<std::size_t>(rank)].node);
        }
        known = std::make_unique<collectives::Nodes>(nodes);
    }
    return known.get();
}

/// True if switches join the group's ranks, which are then on several nodes.
bool CollectiveChoice::has_switches(const Group& group) const {
    std::optional<std::int64_t> first;
    for (int member = 0; member < group.size(); ++member) {
        const std::int32_t index = group.index(member);
        if (index == Group::kUnknown) continue;
        const std::int64_t node = common_.ranks[static_cast<std::size_t>(index)].node;
        if (first.value_or(node) != node) return true;
        first = node;
    }
    return false;
}

}  // namespace waywiser::simulate
