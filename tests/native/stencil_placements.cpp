/// Stencils whose best placement is known are placed so, whatever their numbering: costs are summed up here, from
/// coordinates. With the argument "long", 65 536 ranks too.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "grids.hpp"
#include "machine/table.hpp"
#include "place/folding.hpp"
#include "place/machine_axes.hpp"
#include "place/mapper.hpp"
#include "place/methods.hpp"
#include "place/stencil.hpp"

namespace {

using namespace waywiser::place;
using namespace waywiser::grids;
using waywiser::machine::make_topology;
using waywiser::machine::Topology;

using Numbers = std::vector<std::int64_t>;

/// Slots of a topology, \p slots_of(node) on each node.
template <class SlotsOf>
Slots slots_on(const Topology& topology, SlotsOf slots_of) {
    Slots slots;
    slots.topology = &topology;
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
        for (std::uint32_t position = 0; position < slots_of(node); ++position) {
            slots.node.push_back(node);
            slots.position.push_back(position);
        }
    }
    return slots;
}

bool is_placement(const Order& order, std::uint32_t ranks, const Slots& slots) {
    if (order.size() != ranks) return false;
    std::vector<bool> taken(slots.count());
    for (const std::uint32_t slot : order) {
        if (slot >= slots.count() || taken[slot]) return false;
        taken[slot] = true;
    }
    return true;
}

/// Bytes times distance over unordered pairs, \p hops being between nodes.
template <class Hops>
double hop_bytes(const Pattern& pattern, const Slots& slots, const Order& order, Hops hops) {
    double sum = 0;
    for (std::uint32_t rank = 0; rank < pattern.ranks(); ++rank) {
        for (const Partner& partner : pattern.partners(rank)) {
            sum += static_cast<double>(partner.bytes) * hops(slots.node[order[rank]], slots.node[order[partner.rank]]);
        }
    }
    return sum / 2;
}

/// On a ring of nodes in each of three dimensions, of equal length.
auto torus_hops(std::uint32_t length) {
    return [length](std::uint32_t a, std::uint32_t b) {
        std::uint32_t hops = 0;
        for (int i = 0; i < 3; ++i, a /= length, b /= length) {
            const std::uint32_t apart = (a % length + length - b % length) % length;
            hops += std::min(apart, length - apart);
        }
        return hops;
    };
}

bool expect(const std::string& what, bool holds) {
    if (!holds) std::printf("%s: fails\n", what.c_str());
    return holds;
}

/// 32 KiB along each dimension of a box of 4 n x 2 n x 2 n ranks on a torus of n x n x n nodes with 16 slots: a node
/// keeps at most 28 of the pairs, for that is what 16 points of the lattice can have, and what it does not keep takes a
/// hop or more.
int check_halo_on_torus(std::uint32_t n, std::uint64_t seed) {
    const Shape shape{{4 * n, 2 * n, 2 * n}, {false, false, false}, {32768, 32768, 32768}};
    const Pattern pattern = pattern_of(shape, seed);
    const auto torus = make_topology("torus", {{"lengths", Numbers{n, n, n}}});
    const Slots slots = slots_on(*torus, [](std::uint32_t) { return 16U; });

    const Order order = stencil_order(pattern, slots, {});

    const double pairs = 3.0 * 16 * n * n * n - (4.0 * n * n + 8.0 * n * n + 8.0 * n * n);
    const double bound = 32768 * (pairs - 28.0 * n * n * n);
    const bool holds =
        is_placement(order, ranks_of(shape), slots) && hop_bytes(pattern, slots, order, torus_hops(n)) == bound;
    return expect("halo on torus of " + std::to_string(n), holds) ? 0 : 1;
}

/// The four dimensions of QCD on a hypercube of 5 dimensions with 8 nodes at a vertex and 16 slots on each: 32 pairs
/// stay on a node, 352 at a vertex, and no other takes more than one hop between vertices, beside two to and from them.
int check_qcd_on_hypercube(std::uint64_t seed) {
    const Shape shape{{8, 8, 8, 8}, {true, true, true, true}, {49152, 49152, 49152, 49152}};
    const Pattern pattern = pattern_of(shape, seed);
    const auto cube = make_topology("hypercube", {{"dimensions", 5}, {"nodes_per_switch", 8}});
    const Slots slots = slots_on(*cube, [](std::uint32_t) { return 16U; });

    const Order order = stencil_order(pattern, slots, {});

    const auto hops = [](std::uint32_t a, std::uint32_t b) {
        return a == b ? 0 : 2 + static_cast<std::uint32_t>(std::popcount(a / 8 ^ b / 8));
    };
    const double bound = 49152.0 * (2 * (16384 - 256 * 32) + (16384 - 32 * 352));
    const bool holds = is_placement(order, 4096, slots) && hop_bytes(pattern, slots, order, hops) == bound;
    return expect("QCD on hypercube", holds) ? 0 : 1;
}

/// A ring of all nodes of a torus, one slot on each: every step is one hop, and so is the way back.
int check_ring_on_torus() {
    const Shape shape{{64}, {true}, {8}};
    const Pattern pattern = pattern_of(shape, 1);
    const auto torus = make_topology("torus", {{"lengths", Numbers{4, 4, 4}}});
    const Slots slots = slots_on(*torus, [](std::uint32_t) { return 1U; });

    const Order order = stencil_order(pattern, slots, {});

    const bool holds = is_placement(order, 64, slots) && hop_bytes(pattern, slots, order, torus_hops(4)) == 64 * 8;
    return expect("ring on torus", holds) ? 0 : 1;
}

/// A square on a line of nodes: strips cost least, each pair between nodes one hop.
int check_square_on_mesh() {
    const Pattern pattern = pattern_of({{16, 16}, {false, false}, {8, 8}}, 2);
    const auto line = make_topology("mesh", {{"lengths", Numbers{16}}});
    const Slots slots = slots_on(*line, [](std::uint32_t) { return 16U; });

    const Order order = stencil_order(pattern, slots, {});

    const auto hops = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
    const bool holds = is_placement(order, 256, slots) && hop_bytes(pattern, slots, order, hops) == 15 * 16 * 8;
    return expect("square on line", holds) ? 0 : 1;
}

/// Nodes that are unequal, or here and there, or more than enough: no slot twice, and much cheaper than at random.
int check_irregular() {
    const Shape shape{{24, 18, 12}, {false, false, false}, {4096, 4096, 4096}};
    const Pattern pattern = pattern_of(shape, 3);
    std::mt19937_64 random(9);
    std::vector<bool> has(1000);
    for (std::size_t node = 0; node < has.size(); ++node) has[node] = random() % 10 < 7;
    struct Case {
        const char* what;
        std::unique_ptr<Topology> topology;
        std::uint32_t (*slots_of)(std::uint32_t node, const std::vector<bool>& held);
    };
    Case cases[] = {
        {"unequal nodes of a dragonfly",
         make_topology("dragonfly", {{"nodes_per_switch", 4}, {"switches_per_group", 6}, {"groups", 8}}),
         [](std::uint32_t node, const std::vector<bool>&) { return node % 3 == 0   ? 24U
                                                                   : node % 3 == 1 ? 28U
                                                                                   : 56U; }},
        {"fragments of a torus", make_topology("torus", {{"lengths", Numbers{8, 8, 8}}}),
         [](std::uint32_t node, const std::vector<bool>& held) { return held[node] ? 24U : 0U; }},
        {"fragments of a fat tree", make_topology("fat-tree", {{"down", Numbers{18, 8, 4}}}),
         [](std::uint32_t node, const std::vector<bool>& held) { return held[node] ? 28U : 0U; }},
        {"spare slots", make_topology("hypercube", {{"dimensions", 5}, {"nodes_per_switch", 9}}),
         [](std::uint32_t, const std::vector<bool>&) { return 56U; }},
    };
    int failed = 0;
    for (const Case& one : cases) {
        const Topology& topology = *one.topology;
        const Slots slots = slots_on(topology, [&](std::uint32_t node) { return one.slots_of(node, has); });
        const auto hops = [&](std::uint32_t a, std::uint32_t b) { return topology.hops(a, b); };

        const Order order = stencil_order(pattern, slots, {});

        const bool holds = is_placement(order, ranks_of(shape), slots) &&
                           hop_bytes(pattern, slots, order, hops) <
                               0.5 * hop_bytes(pattern, slots, shuffled(ranks_of(shape), 0), hops);
        failed += expect(one.what, holds) ? 0 : 1;
    }
    return failed;
}

/// 16 x 16 x 16 x 16 on a torus of three dimensions: the fourth stays on the node.
int check_large_qcd() {
    const Shape shape{{16, 16, 16, 16}, {true, true, true, true}, {49152, 49152, 49152, 49152}};
    const Pattern pattern = pattern_of(shape, 6);
    const auto torus = make_topology("torus", {{"lengths", Numbers{16, 16, 16}}});
    const Slots slots = slots_on(*torus, [](std::uint32_t) { return 16U; });

    const Order order = stencil_order(pattern, slots, {});

    const bool holds =
        is_placement(order, 65536, slots) && hop_bytes(pattern, slots, order, torus_hops(16)) <= 3.0 * 65536 * 49152;
    return expect("large QCD", holds) ? 0 : 1;
}

/// Hop-bytes of foldings in closed form are those of the order that they make; of all that are proposed, not only the
/// best.
int check_closed_form() {
    struct Case {
        const char* what;
        Shape shape;
        std::unique_ptr<Topology> topology;
        std::uint32_t slots;
    };
    const Case cases[] = {
        {"box on torus",
         {{16, 8, 4}, {false, false, false}, {8, 16, 64}},
         make_topology("torus", {{"lengths", Numbers{8, 4}}}),
         16},
        {"box on mesh",
         {{12, 6, 4}, {false, false, false}, {8, 8, 8}},
         make_topology("mesh", {{"lengths", Numbers{6, 8}}}),
         6},
        {"rings on hypercube",
         {{8, 8, 16}, {true, true, true}, {8, 8, 24}},
         make_topology("hypercube", {{"dimensions", 6}, {"nodes_per_switch", 2}}),
         8},
        {"box on tree",
         {{12, 12, 8}, {false, false, false}, {8, 8, 8}},
         make_topology("fat-tree", {{"down", Numbers{6, 4, 4}}}),
         12},
    };
    int failed = 0;
    for (const Case& one : cases) {
        const Topology& topology = *one.topology;
        const Pattern pattern = pattern_of(one.shape, 7);
        const Slots slots = slots_on(topology, [&](std::uint32_t) { return one.slots; });
        const auto stencil = find_stencil(pattern);
        std::vector<std::uint32_t> all(slots.count());
        std::iota(all.begin(), all.end(), 0U);
        const auto machine = machine_axes(slots, all);
        const auto found = stencil && machine ? foldings(*stencil, *machine, topology, 40) : std::vector<Folding>{};

        bool holds = !found.empty();
        for (const Folding& folding : found) {
            const Order order = fold(*stencil, *machine, folding);
            const double costs =
                hop_bytes(pattern, slots, order, [&](std::uint32_t a, std::uint32_t b) { return topology.hops(a, b); });
            holds = holds && is_placement(order, pattern.ranks(), slots) &&
                    std::abs(costs - folding.hop_bytes) <= 1e-9 * costs;
        }
        failed += expect(one.what, holds) ? 0 : 1;
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    int failed = check_halo_on_torus(4, 0) + check_halo_on_torus(4, 1) + check_halo_on_torus(8, 2) +
                 check_qcd_on_hypercube(4) + check_ring_on_torus() + check_square_on_mesh() + check_irregular() +
                 check_closed_form();
    if (argc > 1 && std::strcmp(argv[1], "long") == 0) failed += check_halo_on_torus(16, 5) + check_large_qcd();
    const Pattern star(5, std::vector<Pattern::Entry>{{0, 1, 8, 1}, {0, 2, 8, 1}, {0, 3, 8, 1}, {0, 4, 8, 1}});
    const auto ring = make_topology("torus", {{"lengths", Numbers{5}}});
    const Slots slots = slots_on(*ring, [](std::uint32_t) { return 1U; });
    failed += expect("no order for what is no stencil", stencil_order(star, slots, {}).empty()) ? 0 : 1;
    std::printf("%d failed\n", failed);
    return failed == 0 ? 0 : 1;
}
