#include "trace/merging/node_states.hpp"

#include <algorithm>

#include "trace/merging/state_records.hpp"

namespace waywiser::trace {
namespace {

NodeProfile profile_of_node(const state::NodeState& saved) {
    NodeProfile node;
    node.host = text_of(saved.host);
    for (std::size_t i = 0; i < std::min<std::size_t>(saved.fields, kNodeFields.size()); ++i) {
        const state::NodeField& field = saved.values[i];
        node.unknown[i] = text_of(field.unknown);
        if (node.unknown[i].empty()) node[i] = field.value;
    }
    return node;
}

void join(const NodeProfile& node, NodeProfile& into) {
    into.merge(node);
    for (std::size_t i = 0; i < kNodeFields.size(); ++i) {
        if (into.unknown[i].empty()) into.unknown[i] = node.unknown[i];
    }
}

}  // namespace

void Nodes::add(const state::NodeState& node) {
    const auto [place, is_new] = latest_.try_emplace({text_of(node.host), node.pid, node.process_start}, node);
    if (!is_new && node.end_ns > place->second.end_ns) place->second = node;
}

std::vector<NodeProfile> Nodes::joined() const {
    std::vector<NodeProfile> nodes;
    for (const auto& [collector, saved] : latest_) {
        NodeProfile node = profile_of_node(saved);
        if (nodes.empty() || nodes.back().host != node.host) {
            nodes.push_back(std::move(node));
        } else {
            join(node, nodes.back());
        }
    }
    return nodes;
}

}  // namespace waywiser::trace
