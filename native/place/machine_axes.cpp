#include "place/machine_axes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace waywiser::place {

namespace {

/// The used slots of a node, by position.
struct NodeSlots {
    std::uint32_t node = 0;
    std::vector<std::uint32_t> slots;
};

std::vector<NodeSlots> slots_of_nodes(const Slots& slots, std::vector<std::uint32_t> used) {
    std::ranges::sort(used, {}, [&](std::uint32_t slot) { return std::pair(slots.node[slot], slots.position[slot]); });
    std::vector<NodeSlots> out;
    for (const std::uint32_t slot : used) {
        if (out.empty() || out.back().node != slots.node[slot]) out.push_back({.node = slots.node[slot], .slots = {}});
        out.back().slots.push_back(slot);
    }
    return out;
}

/// Nodes with the first axis fastest, and the lengths of the axes.
struct NodeAxes {
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint32_t> nodes;
    bool beside = false;  // true: no axis is nested in another
};

/// The axes of a grid of nodes, if the used nodes form a box.
std::optional<NodeAxes> box_of(const machine::Topology::Grid& grid, const std::vector<NodeSlots>& used) {
    NodeAxes out{.lengths = {}, .nodes = {0}, .beside = true};
    std::uint32_t stride = 1;
    for (const std::uint32_t length : grid.lengths) {
        std::set<std::uint32_t> places;
        for (const NodeSlots& node : used) places.insert(node.node / stride % length);
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t place : places) {
            for (const std::uint32_t node : out.nodes) nodes.push_back(node + place * stride);
        }
        if (nodes.size() > used.size()) return std::nullopt;
        out.nodes = std::move(nodes);
        if (places.size() > 1) out.lengths.push_back(static_cast<std::uint32_t>(places.size()));
        stride *= length;
    }
    // The used nodes must be all nodes of the box.
    if (out.nodes.size() != used.size()) return std::nullopt;
    return out;
}

/// The axes of nested groups, if all groups of a level are equally large.
std::optional<NodeAxes> nested(const std::vector<machine::Grouping>& groupings, const std::vector<NodeSlots>& used) {
    NodeAxes out;
    for (const NodeSlots& node : used) out.nodes.push_back(node.node);
    std::size_t size = used.size();
    // The narrowest grouping is applied first, so that the widest one decides.
    for (auto grouping = groupings.rbegin(); grouping != groupings.rend(); ++grouping) {
        std::ranges::stable_sort(out.nodes, {}, [&](std::uint32_t node) { return grouping->group_of_node[node]; });
    }
    for (const machine::Grouping& grouping : groupings) {
        std::vector<std::size_t> sizes;
        for (std::size_t i = 0; i < out.nodes.size(); ++i) {
            const bool same = i > 0 && grouping.group_of_node[out.nodes[i]] == grouping.group_of_node[out.nodes[i - 1]];
            if (!same) sizes.push_back(0);
            ++sizes.back();
        }
        if (std::ranges::any_of(sizes, [&](std::size_t group_size) { return group_size != sizes[0]; }))
            return std::nullopt;
        if (size % sizes[0] != 0) return std::nullopt;
        if (sizes[0] < size) out.lengths.insert(out.lengths.begin(), static_cast<std::uint32_t>(size / sizes[0]));
        size = sizes[0];
    }
    if (size > 1) out.lengths.insert(out.lengths.begin(), static_cast<std::uint32_t>(size));
    return out;
}

/// Joins the vertices of a hypercube to one axis in the order of the binary-reflected Gray code, in which neighbours
/// are one hop apart.
void join_bits(NodeAxes& axes, std::size_t nodes_per_vertex) {
    const std::size_t vertices = axes.nodes.size() / nodes_per_vertex;
    if (!std::has_single_bit(vertices)) return;
    std::vector<std::uint32_t> nodes;
    for (std::size_t i = 0; i < vertices; ++i) {
        const std::size_t vertex = i ^ (i >> 1U);
        for (std::size_t j = 0; j < nodes_per_vertex; ++j) nodes.push_back(axes.nodes[vertex * nodes_per_vertex + j]);
    }
    axes.nodes = std::move(nodes);
    axes.lengths.clear();
    if (nodes_per_vertex > 1) axes.lengths.push_back(static_cast<std::uint32_t>(nodes_per_vertex));
    if (vertices > 1) axes.lengths.push_back(static_cast<std::uint32_t>(vertices));
}

std::optional<NodeAxes> node_axes(const machine::Topology& topology, const std::vector<NodeSlots>& used) {
    const machine::Topology::Grid grid = topology.grid();
    if (!grid.lengths.empty()) return box_of(grid, used);
    const std::vector<machine::Grouping> groupings = topology.groupings();
    std::optional<NodeAxes> axes = nested(groupings, used);
    if (axes && topology.kind() == "hypercube") {
        // The narrowest groups are the nodes of a vertex.
        const std::vector<std::uint32_t>& vertex = groupings.back().group_of_node;
        join_bits(*axes, static_cast<std::size_t>(std::ranges::count_if(
                             axes->nodes, [&](std::uint32_t node) { return vertex[node] == vertex[axes->nodes[0]]; })));
    }
    return axes;
}

/// The axes of the levels within a node, from the inside out; a single axis if the levels are not nested.
std::vector<Axis> inside_axes(const Slots& all, const std::vector<NodeSlots>& used) {
    const auto slots = static_cast<std::uint32_t>(used[0].slots.size());
    std::vector<Axis> axes;
    std::uint32_t below = 1;
    for (const NodeLevel& level : all.levels) {
        const std::uint32_t here = std::min(level.slots, slots);
        if (here % below != 0 || slots % here != 0) return {{.length = slots, .nodes = {}, .inside = 0}};
        if (here > below) axes.push_back({.length = here / below, .nodes = {}, .inside = level.distance});
        below = here;
    }
    if (below < slots) {
        axes.push_back(
            {.length = slots / below, .nodes = {}, .inside = all.levels.empty() ? 0 : all.levels.back().distance});
    }
    return axes;
}

}  // namespace

std::optional<MachineAxes> machine_axes(const Slots& slots, std::vector<std::uint32_t> slots_used) {
    const std::vector<NodeSlots> used = slots_of_nodes(slots, std::move(slots_used));
    if (used.empty()) return std::nullopt;
    const std::size_t each = used[0].slots.size();
    if (std::ranges::any_of(used, [&](const NodeSlots& node) { return node.slots.size() != each; }))
        return std::nullopt;
    const std::optional<NodeAxes> nodes = node_axes(*slots.topology, used);
    if (!nodes) return std::nullopt;

    MachineAxes out{.axes = inside_axes(slots, used), .slot_at = {}, .strides = {}};
    out.first_of_grid = out.end_of_grid = out.axes.size();
    std::size_t stride = 1;
    for (const std::uint32_t length : nodes->lengths) {
        Axis axis{.length = length, .nodes = {}};
        for (std::size_t i = 0; i < length; ++i) axis.nodes.push_back(nodes->nodes[i * stride]);
        out.axes.push_back(std::move(axis));
        stride *= length;
    }
    if (nodes->beside) out.end_of_grid = out.axes.size();
    std::vector<std::size_t> place_of(slots.topology->node_count());
    for (std::size_t i = 0; i < used.size(); ++i) place_of[used[i].node] = i;
    for (const std::uint32_t node : nodes->nodes) {
        const std::vector<std::uint32_t>& its = used[place_of[node]].slots;
        out.slot_at.insert(out.slot_at.end(), its.begin(), its.end());
    }
    std::uint32_t below = 1;
    for (const Axis& axis : out.axes) {
        out.strides.push_back(below);
        below *= axis.length;
    }
    return out;
}

}  // namespace waywiser::place
