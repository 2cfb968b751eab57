#include "explain/critical_path.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::explain {
namespace {

std::uint64_t path_key(std::uint32_t stream, std::uint32_t interval) { return std::uint64_t{stream} << 32U | interval; }

void add_step(PathSums& sums, std::uint32_t stream, const Segment& segment, std::uint64_t step, bool negative = false) {
    const bool call = step % 2 == 1;
    if (!segment.counted) return;
    const std::uint64_t ns = call ? segment.call_ns : segment.computation_ns;
    const std::uint32_t interval = call ? segment.within : segment.computing;
    if (ns > 0) sums[path_key(stream, interval)] += negative ? 0 - ns : ns;
}

void add_all(PathSums& to, const PathSums& from) {
    from.each([&](std::uint64_t key, std::uint64_t ns) { to[key] += ns; });
}

}  // namespace

CriticalPaths::CriticalPaths(std::vector<History>& histories) : histories_(histories), pending_(histories.size()) {
    for (std::uint32_t stream = 0; stream < histories.size(); ++stream) {
        heads_.push_back(add_node(kNone, stream, 0));
    }
}

/// A node with one reference and no sums, which reuses the memory for sums of a former node.
std::uint32_t CriticalPaths::add_node(std::uint32_t parent, std::uint32_t stream, std::uint64_t begin) {
    std::uint32_t number = static_cast<std::uint32_t>(nodes_.size());
    if (free_.empty()) {
        nodes_.emplace_back();
    } else {
        number = free_.back();
        free_.pop_back();
    }
    Node& node = nodes_[number];
    node.parent = parent;
    node.references = 1;
    node.stream = stream;
    node.begin = node.summed = begin;
    node.end = kOpen;
    node.rest_ns = 0;
    return number;
}

/// Frees an unreferenced node, and its ancestors that only this chain referred to.
void CriticalPaths::free_chain(std::uint32_t number) {
    do {
        const std::uint32_t parent = nodes_[number].parent;
        nodes_[number].sums.clear();
        free_.push_back(number);
        number = parent;
    } while (number != kNone && --nodes_[number].references == 0);
}

void CriticalPaths::sum_up_to(Node& node, std::uint64_t step) {
    if (node.rest_ns > 0) node.sums[path_key(node.stream, node.rest)] += std::exchange(node.rest_ns, 0);
    for (; node.summed < step; ++node.summed) {
        add_step(node.sums, node.stream, histories_[node.stream][node.summed / 2], node.summed);
    }
}

/// \return the node whose chain ends at the point, without a reference; kNone if that part was discarded
std::uint32_t CriticalPaths::split(const PathPoint& point) {
    std::uint32_t number = point.node;
    // Others may have split the node since; the part that was split off is its parent.
    while (point.step <= nodes_[number].begin) {
        number = nodes_[number].parent;
        if (number == kNone) return kNone;
    }
    if (point.step == nodes_[number].end) return number;
    const History& history = histories_[nodes_[number].stream];
    if (nodes_[number].summed > point.step && point.step / 2 < history.begin()) return kNone;

    const std::uint32_t lower_number = add_node(nodes_[number].parent, nodes_[number].stream, nodes_[number].begin);
    Node& upper = nodes_[number];
    Node& lower = nodes_[lower_number];
    std::swap(lower.sums, upper.sums);
    lower.rest = upper.rest;
    lower.rest_ns = std::exchange(upper.rest_ns, 0);
    lower.end = point.step;
    lower.summed = std::min(upper.summed, point.step);
    if (lower.summed < lower.end) pending_[lower.stream].nodes.push_back(lower_number);
    for (std::uint64_t step = point.step; step < upper.summed; ++step) {
        add_step(lower.sums, lower.stream, history[step / 2], step, true);
        add_step(upper.sums, upper.stream, history[step / 2], step);
    }
    upper.parent = lower_number;
    upper.begin = point.step;
    upper.summed = std::max(upper.summed, point.step);
    return lower_number;
}

bool CriticalPaths::follow(std::uint32_t stream, const PathPoint& from, std::uint64_t rest_ns) {
    const std::uint32_t parent = from.node == kNone ? kNone : split(from);
    if (parent == kNone) return false;
    ++nodes_[parent].references;

    const std::uint64_t call = histories_[stream].end() - 1;
    const std::uint32_t old = heads_[stream];
    if (nodes_[old].references > 1) {
        nodes_[old].end = 2 * call + 1;
        pending_[stream].nodes.push_back(old);
    }
    release(old);

    heads_[stream] = add_node(parent, stream, 2 * call + 2);
    nodes_[heads_[stream]].rest_ns = rest_ns;
    nodes_[heads_[stream]].rest = histories_[stream][call].within;
    if (nodes_.size() - free_.size() >= compact_at_) compact();
    return true;
}

void CriticalPaths::sum_older_half(std::uint32_t stream) {
    const History& history = histories_[stream];
    Pending& pending = pending_[stream];
    pending.summed = history.begin() + history.end();
    sum_up_to(nodes_[heads_[stream]], pending.summed);
    std::erase_if(pending.nodes, [&](std::uint32_t number) {
        Node& node = nodes_[number];
        if (node.references == 0 || node.stream != stream) return true;
        sum_up_to(node, std::min(node.end, pending.summed));
        return node.summed == node.end;
    });
}

/// Merges every node with a parent that has no other references, smaller sums into larger ones.
void CriticalPaths::compact() {
    for (Node& node : nodes_) {
        while (node.references > 0 && node.parent != kNone && nodes_[node.parent].references == 1) {
            const std::uint32_t number = node.parent;
            Node& parent = nodes_[number];
            sum_up_to(parent, parent.end);
            if (parent.sums.size() > node.sums.size()) std::swap(parent.sums, node.sums);
            add_all(node.sums, parent.sums);
            if (parent.stream == node.stream && parent.end == node.begin) node.begin = parent.begin;
            node.parent = parent.parent;
            parent.references = 0;
            parent.sums.clear();
            free_.push_back(number);
        }
    }
    compact_at_ = 1024 + 2 * (nodes_.size() - free_.size());
}

PathSums CriticalPaths::sums(std::uint32_t stream) {
    PathSums all;
    for (std::uint32_t number = heads_[stream]; number != kNone; number = nodes_[number].parent) {
        Node& node = nodes_[number];
        sum_up_to(node, std::min(node.end, 2 * histories_[node.stream].end()));
        add_all(all, node.sums);
    }
    return all;
}

}  // namespace waywiser::explain
