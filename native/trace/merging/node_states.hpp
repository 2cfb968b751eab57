/// The nodes of a job, of each of which collectors may have left several states.
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
    /// Adds a state. If one collector has several states (a copy and what came after it), the latest counts.
    void add(const state::NodeState& node);

    /// Profiles joined by host, since one collector may have followed another.
    [[nodiscard]] std::vector<NodeProfile> joined() const;

private:
    std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, state::NodeState> latest_;
};

}  // namespace waywiser::trace
