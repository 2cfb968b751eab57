/// Interconnects: the links between nodes, and the routes of messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace waywiser::machine {

/// One direction of the cables between two vertices. Vertices are numbered: first the nodes, then the switches. In a
/// direct network (a torus, a mesh) the nodes themselves are joined, and there are no switches.
struct Link {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double cables = 1;  ///< number of parallel cables; a message is spread over all of them
};

/// A link of a route, and the share of the message that crosses it: 1, or less where a route splits (ECMP, planes).
struct Share {
    std::uint32_t link = 0;
    double part = 1;
};

/// Vertices that belong together at one level of a network, from the outside in: groups of a dragonfly, edge switches
/// of a fat tree, halves of a hypercube. Mappers split ranks along them.
struct Grouping {
    std::uint32_t groups = 1;
    std::vector<std::uint32_t> group_of_node;  ///< the vector's size is the number of nodes
};

/// Quantities that characterise a network.
struct Properties {
    std::uint64_t host_cables = 0;     ///< cables between nodes and switches
    std::uint64_t network_cables = 0;  ///< all other cables
    std::uint32_t diameter = 0;        ///< largest number of hops between two nodes
    double mean_hops = 0;              ///< mean over pairs of nodes that are drawn independently and may be equal

    /// Cables across the narrowest cut along one dimension or level, whose halves are equal except for one slice of it.
    /// Absent without a formula.
    std::optional<std::uint64_t> bisection = std::nullopt;
};

class Topology {
public:
    Topology() = default;
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    virtual ~Topology() = default;

    [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t node_count() const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t switch_count() const noexcept = 0;
    [[nodiscard]] virtual std::span<const Link> links() const noexcept = 0;

    /// Length of a shortest route between two nodes in links, including links to switches; 0 from a node to itself. For
    /// a dragonfly, routes with at most one global link count; for a hierarchy, the given distances. Computed by a
    /// closed form.
    [[nodiscard]] virtual std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept = 0;

    /// Appends the links that a message from node a to node b takes.
    virtual void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const = 0;

    /// True if each message takes, by load, the minimal route or a detour.
    [[nodiscard]] virtual bool is_adaptive() const noexcept { return false; }
    /// Number of Valiant detours between two nodes, which lead through a third switch or group; 0 if routing is not
    /// adaptive. Source: L. G. Valiant, "A scheme for fast parallel communication", SIAM J. Comput. 11(2), 1982.
    [[nodiscard]] virtual std::uint64_t detour_count(std::uint32_t, std::uint32_t) const noexcept { return 0; }
    /// Appends the links of a detour, whose number is below detour_count(). Each carries all of the message; none if a
    /// link of the detour has failed.
    virtual void detour(std::uint32_t, std::uint32_t, std::uint64_t, std::vector<Share>&) const {}

    /// Groupings of nodes from the widest groups to the narrowest; empty if the topology has none.
    [[nodiscard]] virtual std::vector<Grouping> groupings() const = 0;

    /// Lengths of a grid of nodes, the fastest dimension first, and whether it is periodic; empty if nodes form no
    /// grid.
    struct Grid {
        std::vector<std::uint32_t> lengths;
        std::vector<bool> wraps;
    };
    [[nodiscard]] virtual Grid grid() const { return {}; }

    /// Properties by formula if there is one; otherwise counted with hops() between all pairs of nodes.
    [[nodiscard]] virtual Properties properties() const;
};

}  // namespace waywiser::machine
