/// A topology with the speeds of its links: the links that messages share, and those that each message needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/flat_map.hpp"
#include "base/key_numbers.hpp"
#include "base/stable_items.hpp"
#include "base/stable_rows.hpp"
#include "machine/topology.hpp"

namespace waywiser::simulate {

struct Speeds {
    double link_bytes_per_ns = 0;  ///< speed of one cable, in each direction
    /// Rate of a node's traffic over all of its cables, in each direction. It is the only limit between nodes that are
    /// attached to the same switch by many cables.
    double nic_bytes_per_ns = std::numeric_limits<double>::infinity();
    double hop_ns = 0;  ///< latency of each link
};

/// Links are numbered as in the topology; if NICs have a limit, the NICs of all nodes follow, first outwards, then
/// inwards.
///
/// Not every link can be a bottleneck. If all ways across a link begin with the same other link, or all end with the
/// same other link, this other link carries all of its messages. If it is no faster, the first link is full only when
/// this other link is full. In a full fat tree with D-Mod-K these are all links downwards but the last ones, whatever
/// is sent (E. Zahavi, J. Parallel Distrib. Comput. 72(11), 2012); elsewhere it depends on the ways that are in use.
class Network {
public:
    /// The topology must outlive the object.
    ///
    /// \throws InvalidInput  a speed is not above 0, or the latency is negative
    Network(const machine::Topology& topology, const Speeds& speeds);

    [[nodiscard]] const machine::Topology& topology() const noexcept { return *topology_; }
    /// Capacity of each link, in bytes/ns.
    [[nodiscard]] const std::vector<double>& capacities() const noexcept { return capacities_; }

    /// The way from node a to node b: computed on first use, then kept.
    ///
    /// \throws InvalidInput  there is no such node
    std::uint32_t route(std::uint32_t a, std::uint32_t b);
    /// A detour between the ends of a minimal way, by its number in the topology. Its links must not have failed.
    std::uint32_t detour(std::uint32_t minimal, std::uint64_t number);

    /// Each link of a route once, with the share of the message that crosses it. A way from a node to itself has none.
    [[nodiscard]] std::span<const machine::Share> links(std::uint32_t route) const noexcept {
        return {routes_[route].links, routes_[route].count};
    }

    /// The links of a route that can be a bottleneck for the ways known so far. A new way may append further links and
    /// then changes the network's revision; the span is valid until that changes.
    [[nodiscard]] std::span<const machine::Share> needed_links(std::uint32_t route);
    /// The result of the last needed_links().
    [[nodiscard]] std::span<const machine::Share> known_links(std::uint32_t route) const noexcept {
        const Route& known = routes_[route];
        return {known.needed <= known.near.size() ? known.near.data() : known.links, known.needed};
    }
    /// Prefetches a route whose links are needed soon.
    void expect(std::uint32_t route) const noexcept { __builtin_prefetch(&routes_[route]); }
    [[nodiscard]] std::uint32_t revision() const noexcept { return revision_; }

    [[nodiscard]] std::uint32_t routes() const noexcept { return static_cast<std::uint32_t>(routes_.size()); }
    /// Nanoseconds from the first byte's start to its arrival.
    [[nodiscard]] double latency_ns(std::uint32_t route) const noexcept { return routes_[route].latency_ns; }
    /// The source node.
    [[nodiscard]] std::uint32_t source(std::uint32_t route) const noexcept { return ends_.key(route).from; }
    /// The destination node.
    [[nodiscard]] std::uint32_t target(std::uint32_t route) const noexcept { return routes_[route].target; }
    /// True if the link is within the network: attached neither to the source node of the route nor to its destination.
    [[nodiscard]] bool is_inner(std::uint32_t link, std::uint32_t route) const noexcept;
    /// True if any link from the last needed_links() is within the network.
    [[nodiscard]] bool needs_inner(std::uint32_t route) const noexcept { return routes_[route].needs_inner != 0; }

private:
    struct Ends {
        std::uint32_t from = 0;  // nodes
        std::uint32_t to = 0;
        std::uint64_t detour = 0;  // its number plus 1; 0: the minimal route

        [[nodiscard]] bool operator==(const Ends&) const = default;
    };
    struct EndsHash {
        std::uint64_t operator()(const Ends& ends) const {
            return scattered((std::uint64_t{ends.from} << 32U | ends.to) + ends.detour * kGolden);
        }
        static std::size_t place(const Ends& ends) { return ends.from; }
    };

    /// A way's data for a message are in one cache line, if few links are needed.
    struct alignas(64) Route {
        double latency_ns = 0;
        std::uint32_t count = 0;
        std::uint32_t needed : 31 = 0;
        std::uint32_t needs_inner : 1 = 0;
        machine::Share* links = nullptr;          // the needed ones come first
        std::array<machine::Share, 2> near = {};  // the first of these
        std::uint32_t revision = ~0U;             // the network's revision when the needed links were counted
        std::uint32_t target = 0;                 // destination node
    };
    static_assert(sizeof(Route) == 64);

    /// The first and last link that all ways across a link share.
    struct Company {
        static constexpr std::uint32_t kAny = ~0U;   // no way crosses the link
        static constexpr std::uint32_t kNone = ~1U;  // the ways differ
        std::uint32_t first = kAny;                  // first link of the ways
        std::uint32_t last = kAny;
    };

    std::uint32_t numbered(const Ends& ends);
    void append_route(const Ends& ends);
    void join(std::span<const machine::Share> links, std::uint32_t first, std::uint32_t last);
    [[nodiscard]] bool stands_for(std::uint32_t substitute, std::uint32_t link) const noexcept;

    const machine::Topology* topology_;
    Speeds speeds_;
    std::vector<double> capacities_;
    StableItems<Route> routes_;
    StableRows<machine::Share> links_;   // indexed by way
    KeyNumbers<Ends, EndsHash> ends_;    // numbers of ways by their ends
    std::vector<Company> company_;       // indexed by link
    std::vector<std::uint8_t> needed_;   // by link: true if it can be a bottleneck
    std::vector<machine::Share> route_;  // links of the route that is being computed
    std::uint32_t revision_ = 0;
};

}  // namespace waywiser::simulate
