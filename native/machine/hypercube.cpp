/// Hypercubes, also SGI's enhanced ones: with several nodes on a vertex, several cables in a dimension, several planes,
/// and missing vertices at the end. Dimension-order (e-cube) routing.
///
/// Source for cubes with missing vertices: H. P. Katseff, "Incomplete hypercubes", IEEE Transactions on Computers
/// 37(5), 1988. On the side where the highest differing bit of two vertices is 0, no vertex is missing: so this bit is
/// cleared first or set last. (Clearing all bits before setting others would also work, but would send most messages
/// through the few vertices with low numbers.)
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "machine/families.hpp"
#include "machine/groups.hpp"
#include "machine/wired.hpp"

namespace waywiser::machine {
namespace {

class Hypercube final : public Wired {
public:
    Hypercube(std::uint32_t vertices, std::uint32_t nodes_per_switch, std::vector<std::uint32_t> cables,
              std::uint32_t planes)
        : Wired(vertices * nodes_per_switch, vertices * planes),
          vertices_(vertices),
          per_switch_(nodes_per_switch),
          planes_(planes),
          cables_(std::move(cables)) {
        join_nodes(per_switch_, planes_);
        vertex_of_.resize(node_count());
        for (std::uint32_t node = 0; node < node_count(); ++node) vertex_of_[node] = node / per_switch_;
        links_of_.resize(static_cast<std::size_t>(planes_) * vertices_ * cables_.size());
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) join_vertex(plane, vertex);
        }
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return "hypercube"; }

    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        if (a == b) return 0;
        return 2 + static_cast<std::uint32_t>(std::popcount(vertex_of_[a] ^ vertex_of_[b]));
    }

    /// Messages take the same route in each plane, and all planes carry equal shares.
    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override {
        if (a == b) return;
        const double part = 1.0 / planes_;
        const std::uint32_t different = vertex_of_[a] ^ vertex_of_[b];
        const std::uint32_t first = std::has_single_bit(vertices_) ? 0 : std::bit_floor(different) & vertex_of_[a];
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            std::uint32_t vertex = vertex_of_[a];
            links.push_back({.link = to_switch(a, plane), .part = part});
            for (std::uint32_t bits : {first, different & ~first}) {
                for (; bits != 0; bits &= bits - 1) {
                    const auto dimension = static_cast<std::uint32_t>(std::countr_zero(bits));
                    links.push_back({.link = link_of(plane, vertex, dimension), .part = part});
                    vertex ^= 1U << dimension;
                }
            }
            links.push_back({.link = to_node(b, plane), .part = part});
        }
    }

    /// Groupings by halves across the dimension with the fewest cables, then quarters, down to the nodes of a switch.
    [[nodiscard]] std::vector<Grouping> groupings() const override {
        std::vector<std::uint32_t> order(cables_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, {}, [&](std::uint32_t d) { return std::pair(cables_[d], ~d); });
        std::vector<Grouping> all;
        for (std::uint32_t used = 1; used < order.size(); ++used) {
            std::vector<std::uint32_t> group_of_node(node_count(), 0);
            for (std::uint32_t node = 0; node < node_count(); ++node) {
                for (std::uint32_t i = 0; i < used; ++i) {
                    group_of_node[node] |= (vertex_of_[node] >> order[i] & 1U) << (used - 1 - i);
                }
            }
            append_narrower(all, std::move(group_of_node));
        }
        append_blocks(all, node_count(), per_switch_);
        return all;
    }

    [[nodiscard]] Properties properties() const override {
        Properties properties{.host_cables = static_cast<std::uint64_t>(node_count()) * planes_,
                              .diameter = node_count() > 1 ? 2U : 0U,
                              .mean_hops = 2 - 2.0 / node_count()};
        for (std::uint32_t d = 0; d < cables_.size(); ++d) {
            const std::uint64_t pairs = with_bit(d);
            const std::uint64_t cut = pairs * cables_[d] * planes_;
            properties.network_cables += cut;
            properties.mean_hops +=
                2.0 * static_cast<double>(pairs) * static_cast<double>(vertices_ - pairs) / vertices_ / vertices_;
            if (vertices_ - 2 * pairs <= 1) properties.bisection = std::min(properties.bisection.value_or(cut), cut);
        }
        properties.diameter += widest();
        return properties;
    }

private:
    [[nodiscard]] std::uint32_t& link_of(std::uint32_t plane, std::uint32_t vertex, std::uint32_t dimension) {
        return links_of_[(static_cast<std::size_t>(plane) * vertices_ + vertex) * cables_.size() + dimension];
    }
    [[nodiscard]] std::uint32_t link_of(std::uint32_t plane, std::uint32_t vertex, std::uint32_t dimension) const {
        return links_of_[(static_cast<std::size_t>(plane) * vertices_ + vertex) * cables_.size() + dimension];
    }

    void join_vertex(std::uint32_t plane, std::uint32_t vertex) {
        const std::uint32_t base = node_count() + plane * vertices_;
        for (std::uint32_t d = 0; d < cables_.size(); ++d) {
            const std::uint32_t neighbour = vertex ^ (1U << d);
            if (neighbour < vertex || neighbour >= vertices_) continue;
            link_of(plane, vertex, d) = join(base + vertex, base + neighbour, cables_[d]);
            link_of(plane, neighbour, d) = link_of(plane, vertex, d) + 1;
        }
    }

    /// Vertices whose number has that bit; each has a neighbour without it.
    [[nodiscard]] std::uint32_t with_bit(std::uint32_t bit) const {
        const std::uint32_t below = (vertices_ >> (bit + 1)) << bit;
        const std::uint32_t rest = vertices_ & ((2U << bit) - 1);
        return below + (rest > (1U << bit) ? rest - (1U << bit) : 0);
    }

    /// Largest number of differing bits of two vertices. A power of two and its predecessor differ in all bits.
    [[nodiscard]] std::uint32_t widest() const {
        return vertices_ == 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(vertices_ - 1));
    }

    std::uint32_t vertices_;
    std::uint32_t per_switch_;
    std::uint32_t planes_;
    std::vector<std::uint32_t> cables_;  // cables of each dimension
    std::vector<std::uint32_t> vertex_of_;
    std::vector<std::uint32_t> links_of_;  // by plane, vertex and dimension: the link to the neighbour
};

}  // namespace

std::unique_ptr<Topology> make_hypercube(const Parameters& parameters) {
    const std::uint32_t dimensions = parameters.number("dimensions", 0, 24);
    const std::uint32_t most = 1U << dimensions;
    const std::uint32_t vertices = parameters.number_or("switches_per_plane", most, most / 2 + 1, most);
    const std::uint32_t per_switch = parameters.number_or("nodes_per_switch", 1, 1);
    const std::uint32_t planes = parameters.number_or("planes", 1, 1, 16);
    const std::uint32_t factors[] = {vertices, per_switch, planes};
    parameters.product("nodes_per_switch", factors);
    return std::make_unique<Hypercube>(vertices, per_switch, parameters.list_of("cables", dimensions, 1), planes);
}

}  // namespace waywiser::machine
