/// Costs agree with sums over all pairs of ranks; placements are optimal where the optimum is known or can be tried
/// out, keep to the slots there are, are never worse than the default, and are the same again.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "grids.hpp"
#include "machine/table.hpp"
#include "place/effort.hpp"
#include "place/graph.hpp"
#include "place/link_search.hpp"
#include "place/mapper.hpp"
#include "place/sites.hpp"
#include "place/swap_search.hpp"

namespace {

using namespace waywiser::place;
using waywiser::machine::make_topology;
using waywiser::machine::Topology;
using Numbers = std::mt19937_64;
using List = std::vector<std::int64_t>;

int failures = 0;

void check(bool holds, const char* what, std::uint64_t which) {
    if (holds) return;
    ++failures;
    std::printf("%s (%llu)\n", what, static_cast<unsigned long long>(which));
}

std::vector<std::unique_ptr<Topology>> machines() {
    std::vector<std::unique_ptr<Topology>> out;
    out.push_back(make_topology("torus", {{"lengths", List{4, 3, 2}}}));
    out.push_back(make_topology("torus", {{"lengths", List{3, 4}}, {"nodes_per_switch", 2}}));
    out.push_back(make_topology("hypercube", {{"dimensions", 3}, {"nodes_per_switch", 3}, {"cables", 2}}));
    out.push_back(make_topology("fat-tree", {{"down", List{4, 6}}, {"up", List{1, 2}}, {"routing", "ecmp"}}));
    out.push_back(make_topology("hierarchy", {{"sizes", List{4, 3, 2}}, {"distances", List{1, 5, 9}}}));
    out.push_back(make_topology("dragonfly", {{"nodes_per_switch", 2}, {"switches_per_group", 3}, {"groups", 4}}));
    return out;
}

std::uint32_t below(Numbers& numbers, std::uint64_t end) { return static_cast<std::uint32_t>(numbers() % end); }

std::vector<Pattern::Entry> random_entries(Numbers& numbers, std::uint32_t ranks, std::uint32_t of_each) {
    std::vector<Pattern::Entry> entries;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (std::uint32_t i = 0; i < of_each; ++i) {
            entries.push_back({rank, below(numbers, ranks), numbers() % 10000, numbers() % 100});
        }
    }
    return entries;
}

/// Some nodes of the machine, in any order, each with up to `most` slots; slots of a node need not follow each other.
Slots random_slots(Numbers& numbers, const Topology& topology, std::uint32_t most) {
    Slots slots{.topology = &topology, .node = {}, .position = {}, .levels = {}};
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
        if (node > 0 && below(numbers, 10) < 3) continue;
        slots.node.insert(slots.node.end(), 1 + below(numbers, most), node);
    }
    std::ranges::shuffle(slots.node, numbers);
    std::vector<std::uint32_t> next(topology.node_count());
    for (const std::uint32_t node : slots.node) slots.position.push_back(next[node]++);
    if (below(numbers, 2) == 0) slots.levels = {{.slots = 2, .distance = 1}, {.slots = most, .distance = 3}};
    return slots;
}

/// Cost by definition: a sum over all entries, every message by itself.
Cost slow_cost(const Slots& slots, const std::vector<Pattern::Entry>& entries, const Order& order, std::uint32_t ranks,
               const TimeModel& model) {
    Cost cost;
    std::vector<double> loads(slots.topology->links().size());
    std::vector<double> seconds(ranks);
    for (const auto& [from, to, bytes, messages] : entries) {
        const std::uint32_t a = slots.node[order[from]];
        const std::uint32_t b = slots.node[order[to]];
        const std::uint32_t hops = distance(slots, order[from], order[to]);
        if (from == to) continue;
        cost.hop_bytes += static_cast<double>(bytes) * hops / 2;
        if (a == b) {
            seconds[from] += static_cast<double>(messages) * model.seconds_per_message_inside;
            continue;
        }
        cost.off_node_bytes += static_cast<double>(bytes);
        seconds[from] += static_cast<double>(messages) * (model.seconds_per_message + hops * model.seconds_per_hop);
        std::vector<waywiser::machine::Share> route;
        slots.topology->route(a, b, route);
        for (const auto& [link, part] : route) {
            loads[link] += part * static_cast<double>(bytes) / slots.topology->links()[link].cables;
        }
    }
    cost.busiest_link_bytes = *std::ranges::max_element(loads);
    const double slowest_rank = *std::ranges::max_element(seconds);
    cost.seconds = std::max(slowest_rank, cost.busiest_link_bytes * model.seconds_per_byte);
    double slowest_route = 0;
    for (const auto& [from, to, bytes, messages] : entries) {
        if (bytes == 0 || slots.node[order[from]] == slots.node[order[to]]) continue;
        std::vector<waywiser::machine::Share> route;
        slots.topology->route(slots.node[order[from]], slots.node[order[to]], route);
        double load = 0;
        for (const auto& [link, part] : route) load += part * loads[link];
        slowest_route = std::max(slowest_route, load);
    }
    cost.seconds_at_most = slowest_rank + slowest_route * model.seconds_per_byte;
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t slot : order) nodes.push_back(slots.node[slot]);
    std::ranges::sort(nodes);
    cost.nodes = static_cast<std::uint32_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
    return cost;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

double value(const Cost& cost, Objective objective) {
    if (objective == Objective::hop_bytes) return cost.hop_bytes;
    return objective == Objective::time ? cost.seconds : cost.busiest_link_bytes;
}

/// Costs, slots, never worse, and the same on any number of threads, for random patterns on random allocations.
void check_random() {
    const auto topologies = machines();
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Numbers numbers(seed);
        const Slots slots =
            random_slots(numbers, *topologies[seed % topologies.size()], 1 + static_cast<std::uint32_t>(seed % 9));
        const std::uint32_t ranks = slots.count() - below(numbers, 1 + slots.count() / 3);
        const auto entries = random_entries(numbers, ranks, static_cast<std::uint32_t>(seed % 5));
        const Pattern pattern(ranks, entries);

        Options options{.objective = static_cast<Objective>(seed % 3), .model = {}, .seed = seed, .methods = {}};
        const Placement placed = place(pattern, slots, options);
        const Cost slow = slow_cost(slots, entries, placed.order, ranks, options.model);
        check(close(placed.cost.hop_bytes, slow.hop_bytes), "hop-bytes are not those of all pairs", seed);
        check(close(placed.cost.busiest_link_bytes, slow.busiest_link_bytes), "the busiest link is another", seed);
        check(close(placed.cost.off_node_bytes, slow.off_node_bytes), "other bytes leave their nodes", seed);
        check(close(placed.cost.seconds, slow.seconds), "the time is another", seed);
        check(close(placed.cost.seconds_at_most, slow.seconds_at_most), "the time is another at most", seed);
        check(placed.cost.nodes == slow.nodes, "other nodes hold ranks", seed);

        Order sorted = placed.order;
        std::ranges::sort(sorted);
        check(sorted.size() == ranks && std::ranges::adjacent_find(sorted) == sorted.end() &&
                  (sorted.empty() || sorted.back() < slots.count()),
              "two ranks have one slot", seed);
        check(value(placed.cost, options.objective) <= value(placed.default_cost, options.objective),
              "worse than the default order", seed);
        if (placed.method == "default") {
            check(std::ranges::is_sorted(placed.order) && (ranks == 0 || placed.order.back() == ranks - 1),
                  "another order is called default", seed);
        }
        options.threads = 2;
        check(place(pattern, slots, options).order == placed.order, "two threads find another order", seed);
    }
}

/// The cheapest of all orders of 8 ranks on 8 slots, two on each node.
void check_tried_out() {
    const auto topology = make_topology("torus", {{"lengths", List{4}}});
    const Slots slots{.topology = topology.get(),
                      .node = {0, 0, 1, 1, 2, 2, 3, 3},
                      .position = {0, 1, 0, 1, 0, 1, 0, 1},
                      .levels = {}};
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Numbers numbers(seed);
        const Pattern pattern(8, random_entries(numbers, 8, 2));
        Order order(8);
        std::iota(order.begin(), order.end(), 0U);
        double least = std::numeric_limits<double>::max();
        do {
            double hop_bytes = 0;
            for (std::uint32_t rank = 0; rank < 8; ++rank) {
                for (const Partner& partner : pattern.partners(rank)) {
                    hop_bytes +=
                        0.5 * static_cast<double>(partner.bytes) * distance(slots, order[rank], order[partner.rank]);
                }
            }
            least = std::min(least, hop_bytes);
        } while (std::ranges::next_permutation(order).found);
        const double found = place(pattern, slots, {.model = {}, .seed = seed, .methods = {}}).cost.hop_bytes;
        check(close(found, least), "some order is cheaper", seed);
    }
}

double placed_hop_bytes(const Pattern& pattern, const Topology& topology, std::uint32_t of_node) {
    Slots slots{.topology = &topology, .node = {}, .position = {}, .levels = {}};
    for (std::uint32_t slot = 0; slot < pattern.ranks(); ++slot) {
        slots.node.push_back(slot / of_node);
        slots.position.push_back(slot % of_node);
    }
    return place(pattern, slots, {.model = {}, .methods = {"multisection"}}).cost.hop_bytes;
}

/// By sections alone, without knowing that the ranks form a grid.
void check_closed_forms() {
    // Nodes hold 4x2x2 ranks of 16x8x8: between nodes there are 3 planes of 64 edges in each direction.
    const auto torus = make_topology("torus", {{"lengths", List{4, 4, 4}}});
    const auto halo = waywiser::grids::pattern_of({{16, 8, 8}, {false, false, false}, {100, 100, 100}}, 3);
    check(placed_hop_bytes(halo, *torus, 16) == 100.0 * 3 * (64 + 128 + 128), "a halo is not dilated by 1", 0);

    // A Gray code puts neighbours of an 8x4 grid on neighbouring switches: 52 edges of 3 links.
    const auto cube = make_topology("hypercube", {{"dimensions", 5}});
    const auto grid = waywiser::grids::pattern_of({{8, 4}, {false, false}, {10, 10}}, 5);
    check(placed_hop_bytes(grid, *cube, 1) == 10.0 * 3 * (7 * 4 + 8 * 3), "a grid is not a Gray code on the cube", 1);
}

/// A search that takes no step up must come down all the way: with a wrong difference it would climb somewhere.
void check_descent() {
    const auto topologies = machines();
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Numbers numbers(seed);
        const Slots slots = random_slots(numbers, *topologies[seed % topologies.size()], 4);
        const std::uint32_t ranks = slots.count() - slots.count() / 8;
        const Pattern pattern(ranks, random_entries(numbers, ranks, 2));
        const Sites sites(slots);
        std::vector<std::uint32_t> site_of(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) site_of[rank] = sites.site_of(rank);
        double before = cost(pattern, slots, order_of(sites, site_of)).hop_bytes;
        for (std::uint64_t round = 0; round < 100; ++round) {
            improve_by_swaps(graph_of(pattern, {.model = {}, .methods = {}}), sites, {.seed = round, .steps = 8},
                             site_of);
            const double after = cost(pattern, slots, order_of(sites, site_of)).hop_bytes;
            check(after <= before * (1 + 1e-6), "a step down led up", seed);
            before = after;
        }
    }
}

void check_refusals() {
    const auto topology = make_topology("torus", {{"lengths", List{4}}});
    const Slots slots{.topology = topology.get(), .node = {0, 1}, .position = {0, 0}, .levels = {}};
    const auto refuses = [&](std::uint32_t ranks, std::vector<std::string> methods) {
        try {
            (void)place(Pattern(ranks, {}), slots, {.model = {}, .methods = std::move(methods)});
        } catch (const waywiser::InvalidInput&) {
            return true;
        }
        return false;
    };
    check(refuses(3, {}), "three ranks find place on two slots", 0);
    check(refuses(2, {"guess"}), "an unknown method is accepted", 1);
    check(!refuses(2, {"default"}), "two ranks find no place on two slots", 2);
}

/// A ring of ranks that are numbered at random, one on each node of a ring.
void check_link_search() {
    constexpr std::uint32_t ranks = 16;
    const auto topology = make_topology("torus", {{"lengths", List{ranks}}});
    Slots slots{.topology = topology.get(), .node = {}, .position = std::vector<std::uint32_t>(ranks), .levels = {}};
    Order ring(ranks);
    std::iota(ring.begin(), ring.end(), 0U);
    slots.node = ring;
    const Order before = ring;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::ranges::shuffle(ring, Numbers(seed));
        std::vector<Pattern::Entry> entries;
        for (std::uint32_t i = 0; i < ranks; ++i) entries.push_back({ring[i], ring[(i + 1) % ranks], 100, 1});
        const Pattern pattern(ranks, entries);
        const Options options{.objective = Objective::busiest_link, .model = {}, .seed = seed, .methods = {}};
        Order order = before;
        improve_links(pattern, slots, options, effort_for(ranks, 2 * ranks, options).shares, order);
        check(cost(pattern, slots, order).busiest_link_bytes < cost(pattern, slots, before).busiest_link_bytes,
              "the search by links leaves the busiest one as it is", seed);
    }
}

}  // namespace

int main() {
    check_random();
    check_tried_out();
    check_closed_forms();
    check_descent();
    check_link_search();
    check_refusals();
    std::printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}
