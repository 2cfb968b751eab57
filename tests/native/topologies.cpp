/// Every topology of the table, at sizes that straddle its special cases: hops against a search over the links, routes
/// as flows of one message that run over links from one node to the other, metrics against a count, groups within
/// groups. Also with links that are down.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/failures.hpp"
#include "machine/table.hpp"

namespace {

using namespace waywiser::machine;

using List = std::vector<std::int64_t>;
using Lists = std::vector<List>;
using Values = std::map<std::string, Value, std::less<>>;

constexpr std::uint32_t kFar = 1U << 30U;

int g_failed = 0;

void check(bool holds, const Topology& topology, const std::string& what) {
    if (holds) return;
    ++g_failed;
    const std::string kind(topology.kind());
    std::printf("%s of %u nodes: %s\n", kind.c_str(), topology.node_count(), what.c_str());
}

/// Hops from a node to all vertices, by breadth-first search. Nodes pass nothing on where there are switches; and of a
/// dragonfly, whose groups are known, no way may cross two links between groups.
std::vector<std::uint32_t> search(const Topology& topology, const std::vector<std::vector<std::uint32_t>>& neighbours,
                                  const std::vector<std::uint32_t>& group, std::uint32_t start) {
    const auto vertices = static_cast<std::uint32_t>(neighbours.size());
    std::vector<std::uint32_t> hops(2UL * vertices, kFar);  // before and after a link between groups
    std::queue<std::uint32_t> waiting({start});
    hops[start] = 0;
    for (; !waiting.empty(); waiting.pop()) {
        const std::uint32_t state = waiting.front();
        const std::uint32_t vertex = state % vertices;
        if (topology.switch_count() > 0 && vertex < topology.node_count() && vertex != start) continue;
        for (const std::uint32_t next : neighbours[vertex]) {
            const bool crosses = !group.empty() && group[vertex] != group[next];
            const std::uint32_t after = next + (crosses || state >= vertices ? vertices : 0);
            if ((crosses && state >= vertices) || hops[after] != kFar) continue;
            hops[after] = hops[state] + 1;
            waiting.push(after);
        }
    }
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
        hops[vertex] = std::min(hops[vertex], hops[vertices + vertex]);
    }
    return hops;
}

/// The route is made of whole flows: what enters a vertex leaves it, one message leaves a and arrives at b.
void check_route(const Topology& topology, std::uint32_t a, std::uint32_t b, std::uint32_t hops) {
    std::vector<Share> shares;
    topology.route(a, b, shares);
    double length = 0;
    std::map<std::uint32_t, double> gain;
    for (const Share& share : shares) {
        const Link& link = topology.links()[share.link];
        length += share.part;
        gain[link.from] -= share.part;
        gain[link.to] += share.part;
    }
    gain[a] += 1;
    gain[b] -= 1;
    const bool flows = std::ranges::all_of(gain, [](const auto& one) { return std::abs(one.second) < 1e-9; });
    check(flows && std::abs(length - hops) < 1e-9, topology,
          "the route from " + std::to_string(a) + " to " + std::to_string(b) + " is broken, or not the shortest");
}

void check_groupings(const Topology& topology) {
    std::vector<std::uint32_t> wider(topology.node_count(), 0);
    std::uint32_t groups = 1;
    for (const Grouping& grouping : topology.groupings()) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        std::set<std::uint32_t> seen;
        for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
            pairs.emplace(grouping.group_of_node[node], wider[node]);
            seen.insert(grouping.group_of_node[node]);
        }
        check(seen.size() == grouping.groups && *seen.rbegin() + 1 == grouping.groups, topology,
              "groups are not counted");
        check(pairs.size() == grouping.groups, topology, "a group is in two that are wider");
        check(grouping.groups > groups, topology, "groups are no narrower than those before");
        wider = grouping.group_of_node;
        groups = grouping.groups;
    }
}

void check_metrics(const Topology& topology, double sum_of_hops, std::uint32_t diameter) {
    std::uint64_t host = 0;
    std::uint64_t network = 0;
    for (const Link& link : topology.links()) {
        const bool of_node = topology.switch_count() > 0 && std::min(link.from, link.to) < topology.node_count();
        (of_node ? host : network) += static_cast<std::uint64_t>(link.cables);
    }
    const Properties found = topology.properties();
    const double mean = sum_of_hops / topology.node_count() / topology.node_count();
    check(2 * found.host_cables == host && 2 * found.network_cables == network, topology, "cables are not counted");
    check(found.diameter == diameter, topology, "the diameter is " + std::to_string(diameter));
    check(std::abs(found.mean_hops - mean) < 1e-9, topology, "the mean is " + std::to_string(mean));
}

std::set<std::string> g_checked;

void check_topology(const std::string& kind, const Values& values, const std::vector<Failure>& failures = {}) {
    g_checked.insert(kind);
    const std::unique_ptr<Topology> topology = without(make_topology(kind, values), failures);
    const std::uint32_t nodes = topology->node_count();
    std::vector<std::vector<std::uint32_t>> neighbours(nodes + topology->switch_count());
    for (std::size_t i = 0; i < topology->links().size(); ++i) {
        const Link& link = topology->links()[i];
        const Link& back = topology->links()[i ^ 1U];
        check(link.from == back.to && link.to == back.from && link.cables == back.cables, *topology,
              "a link has no other direction beside it");
        neighbours[link.from].push_back(link.to);
    }
    std::vector<std::uint32_t> group;
    if (kind == "dragonfly") {
        const auto in_group = static_cast<std::uint32_t>(std::get<std::int64_t>(values.at("switches_per_group")));
        const std::uint32_t on_switch = nodes / topology->switch_count();
        for (std::uint32_t node = 0; node < nodes; ++node) group.push_back(node / on_switch / in_group);
        for (std::uint32_t i = 0; i < topology->switch_count(); ++i) group.push_back(i / in_group);
    }
    double sum = 0;
    std::uint32_t diameter = 0;
    for (std::uint32_t a = 0; a < nodes; ++a) {
        const std::vector<std::uint32_t> hops = search(*topology, neighbours, group, a);
        for (std::uint32_t b = 0; b < nodes; ++b) {
            check(
                topology->hops(a, b) == hops[b], *topology,
                "from " + std::to_string(a) + " to " + std::to_string(b) + " are " + std::to_string(hops[b]) + " hops");
            check_route(*topology, a, b, hops[b]);
            sum += hops[b];
            diameter = std::max(diameter, hops[b]);
        }
    }
    check_metrics(*topology, sum, diameter);
    check_groupings(*topology);
}

void check_grids() {
    for (const char* kind : {"torus", "mesh"}) {
        check_topology(kind, {{"lengths", List{1}}});
        check_topology(kind, {{"lengths", List{2, 2}}});
        check_topology(kind, {{"lengths", List{7}}, {"nodes_per_switch", 1}});
        check_topology(kind, {{"lengths", List{4, 3, 2}}});
        check_topology(kind, {{"lengths", List{5, 1, 4}}, {"nodes_per_switch", 2}, {"cables", List{1, 2, 3}}});
    }
    check_topology("hypercube", {{"dimensions", 0}, {"nodes_per_switch", 3}});
    check_topology("hypercube",
                   {{"dimensions", 4}, {"nodes_per_switch", 2}, {"planes", 2}, {"cables", List{1, 2, 3, 4}}});
    for (const int left : {9, 11, 12, 14, 15})
        check_topology("hypercube", {{"dimensions", 4}, {"switches_per_plane", left}});
    check_topology("all-to-all", {{"switches", 1}, {"nodes_per_switch", 3}});
    check_topology("all-to-all", {{"switches", 5}, {"nodes_per_switch", 3}, {"cables", 2}});
    check_topology("hyperx", {{"lengths", List{3, 1, 4, 2}}, {"nodes_per_switch", 2}, {"cables", List{1, 5, 2, 3}}});
}

void check_trees() {
    for (const std::string routing : {"d-mod-k", "ecmp"}) {
        check_topology(
            "fat-tree",
            {{"down", List{3, 2, 3}}, {"up", List{1, 2, 2}}, {"cables", List{1, 2, 1}}, {"routing", routing}});
        check_topology("fat-tree", {{"down", List{2, 4, 2}}, {"up", List{2, 2, 3}}, {"routing", routing}});
        check_topology("fat-tree", {{"down", List{1, 3, 1}}, {"up", 2}, {"routing", routing}});
        check_topology("k-ary-n-tree", {{"k", 3}, {"n", 3}, {"routing", routing}});
        check_topology("three-level-fat-tree", {{"ports", 4}, {"routing", routing}});
    }
    check_topology("hierarchy", {{"sizes", List{3, 4, 2}}, {"cables", List{1, 2, 8}}});
    check_topology("hierarchy", {{"sizes", List{6}}});
}

void check_dragonflies() {
    for (const std::string arrangement : {"relative", "absolute"}) {
        const auto dragonfly = [&](int p, int a, int g, int links) {
            check_topology("dragonfly", {{"nodes_per_switch", p},
                                         {"switches_per_group", a},
                                         {"groups", g},
                                         {"links_per_pair", links},
                                         {"local_cables", 2},
                                         {"arrangement", arrangement}});
        };
        dragonfly(2, 4, 9, 1);
        dragonfly(2, 4, 6, 1);
        dragonfly(1, 4, 6, 3);
        dragonfly(3, 2, 2, 2);
        dragonfly(1, 1, 6, 1);
        dragonfly(2, 4, 1, 1);
    }
}

void check_graphs() {
    check_topology("graph", {{"nodes", 1}, {"edges", Lists{}}});
    check_topology("graph", {{"nodes", 4}, {"edges", Lists{{0, 1}, {1, 2}, {2, 3, 4}, {3, 0}, {1, 0}}}});
    // A tree of two levels beside a ring of switches; nodes 6 and 7 hang on two of them.
    check_topology("graph", {{"nodes", 8},
                             {"switches", 5},
                             {"edges", Lists{{0, 8},
                                             {1, 8},
                                             {2, 9},
                                             {3, 9},
                                             {4, 10},
                                             {5, 10},
                                             {6, 8},
                                             {6, 9},
                                             {7, 8},
                                             {7, 9},
                                             {8, 11},
                                             {9, 11},
                                             {10, 11},
                                             {8, 12},
                                             {9, 12},
                                             {10, 12}}}});
    check_topology("graph",
                   {{"nodes", 4}, {"switches", 3}, {"edges", Lists{{0, 4}, {1, 4}, {2, 5}, {3, 6}, {4, 5}, {5, 6}}}});
}

void check_failures() {
    check_topology("torus", {{"lengths", List{4, 3}}}, {{0, 1}, {0, 4}});
    check_topology("torus", {{"lengths", List{4, 2}}, {"nodes_per_switch", 2}}, {{16, 20, 1}, {17, 21}});
    check_topology("k-ary-n-tree", {{"k", 3}, {"n", 2}}, {{9, 12}});
    check_topology("three-level-fat-tree", {{"ports", 4}, {"routing", "ecmp"}}, {{16, 24}, {25, 33}});
    check_topology("hypercube", {{"dimensions", 3}, {"nodes_per_switch", 2}, {"planes", 2}},
                   {{0, 16}, {17, 16}, {25, 24}});
    check_topology("graph", {{"nodes", 3}, {"edges", Lists{{0, 1}, {1, 2}, {2, 0, 2}}}}, {{0, 1}, {2, 0, 1}});
    // What no message crosses more than one of is not searched for by a plain search: a group that lost its only link
    // to another goes through a third.
    const std::unique_ptr<Topology> cut = without(
        make_topology("dragonfly", {{"nodes_per_switch", 1}, {"switches_per_group", 1}, {"groups", 4}}), {{{4, 5}}});
    check(cut->hops(0, 1) == 4 && cut->hops(0, 2) == 3, *cut, "groups without a link have no way through a third");
    // The longer way of minimal routing stays as it was.
    const Values values{{"nodes_per_switch", 2}, {"switches_per_group", 4}, {"groups", 9}};
    const std::unique_ptr<Topology> whole = make_topology("dragonfly", values);
    const std::unique_ptr<Topology> degraded = without(make_topology("dragonfly", values), {{{72, 73}}});
    int longer = 0;
    for (std::uint32_t a = 0; a < 72; ++a) {
        for (std::uint32_t b = 0; b < 72; ++b) {
            std::vector<Share> before;
            whole->route(a, b, before);
            const bool hit = std::ranges::any_of(before, [&](const Share& share) {
                const Link& link = whole->links()[share.link];
                return std::min(link.from, link.to) == 72 && std::max(link.from, link.to) == 73;
            });
            if (!hit) check(degraded->hops(a, b) == whole->hops(a, b), *degraded, "hops changed without need");
            check_route(*degraded, a, b, degraded->hops(a, b));
            longer += static_cast<int>(hit);
        }
    }
    check(longer > 0, *degraded, "no route was hit");
}

}  // namespace

int main() {
    check_grids();
    check_trees();
    check_dragonflies();
    check_graphs();
    check_failures();
    for (const Kind& kind : kinds()) {
        if (!g_checked.contains(std::string(kind.name))) {
            std::printf("%s was not played\n", std::string(kind.name).c_str());
            ++g_failed;
        }
    }
    std::printf("%d failed\n", g_failed);
    return g_failed == 0 ? 0 : 1;
}
