/// The nodes of a job. Collectors may have left several states of each node.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "trace/records/node_state.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

class Nodes {
public:
    /// Adds a state. If one collector left several states (such as a copy and a later state), the latest counts.
    void add(const state::NodeState& node);

    /// One profile per host, joined from those of successive collectors.
    [[nodiscard]] std::vector<NodeProfile> joined() const;

private:
    std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, state::NodeState> latest_;
};

}  // namespace waywiser::trace
