/// Tori and meshes of any dimension: of nodes, or of switches with nodes on each. Dimension-order routing.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "machine/families.hpp"
#include "machine/groups.hpp"
#include "machine/wired.hpp"

namespace waywiser::machine {
namespace {

class Torus final : public Wired {
public:
    Torus(std::vector<std::uint32_t> lengths, bool wraps, std::uint32_t nodes_per_switch,
          std::vector<std::uint32_t> cables, std::uint32_t vertices)
        : Wired(vertices * std::max(nodes_per_switch, 1U), nodes_per_switch == 0 ? 0 : vertices),
          lengths_(std::move(lengths)),
          cables_(std::move(cables)),
          wraps_(wraps),
          per_switch_(nodes_per_switch),
          vertices_(vertices) {
        if (per_switch_ > 0) join_nodes(per_switch_);
        // In a mesh, the detour around is never shorter.
        for (const std::uint32_t length : lengths_) {
            turns_.push_back(wraps_ ? static_cast<std::int32_t>(length) : std::numeric_limits<std::int32_t>::max());
        }
        set_coordinates();
        join_rows();
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return wraps_ ? "torus" : "mesh"; }

    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        std::int32_t sum = per_switch_ > 0 && a != b ? 2 : 0;
        const std::int32_t* from = coordinates_of(a);
        const std::int32_t* to = coordinates_of(b);
        for (std::size_t d = 0; d < turns_.size(); ++d) {
            const std::int32_t along = std::abs(from[d] - to[d]);
            sum += std::min(along, turns_[d] - along);
        }
        return static_cast<std::uint32_t>(sum);
    }

    /// Routes dimension by dimension, the fastest dimension first; upwards if both directions are equally long.
    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override {
        if (a == b) return;
        if (per_switch_ > 0) links.push_back({.link = to_switch(a)});
        std::uint32_t vertex = vertex_of(a);
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < lengths_.size(); stride *= lengths_[d++]) {
            const auto length = static_cast<std::int32_t>(lengths_[d]);
            const std::int32_t at = coordinates_of(a)[d];
            const std::int32_t ahead = (coordinates_of(b)[d] - at + length) % length;
            const bool up = wraps_ ? 2 * ahead <= length : at + ahead < length;
            for (std::int32_t step = 0; step < (up ? ahead : length - ahead); ++step) {
                const std::uint32_t next = neighbour(vertex, d, stride, up);
                links.push_back(
                    {.link = up ? upwards_[vertex * lengths_.size() + d] : upwards_[next * lengths_.size() + d] + 1});
                vertex = next;
            }
        }
        if (per_switch_ > 0) links.push_back({.link = to_node(b)});
    }

    [[nodiscard]] std::vector<Grouping> groupings() const override {
        std::vector<Grouping> all = halvings(lengths_, std::max(per_switch_, 1U));
        append_blocks(all, node_count(), std::max(per_switch_, 1U));
        return all;
    }

    [[nodiscard]] Grid grid() const override {
        Grid grid{.lengths = lengths_, .wraps = std::vector<bool>(lengths_.size(), wraps_)};
        if (per_switch_ > 1) {
            grid.lengths.insert(grid.lengths.begin(), per_switch_);
            grid.wraps.insert(grid.wraps.begin(), false);
        }
        return grid;
    }

    [[nodiscard]] Properties properties() const override {
        Properties properties{.host_cables = switch_count() == 0 ? 0 : node_count(),
                              .diameter = per_switch_ > 0 && node_count() > 1 ? 2U : 0U,
                              .mean_hops = per_switch_ > 0 ? 2 - 2.0 / node_count() : 0};
        for (std::size_t d = 0; d < lengths_.size(); ++d) {
            const std::uint32_t length = lengths_[d];
            if (length == 1) continue;
            const std::uint64_t rows = vertices_ / length;
            properties.network_cables += rows * (wraps_ ? length : length - 1) * cables_[d];
            properties.diameter += wraps_ ? length / 2 : length - 1;
            const std::uint64_t half_ring = length * length / 4;
            properties.mean_hops +=
                wraps_ ? static_cast<double>(half_ring) / length : (length - 1.0) * (length + 1.0) / (3.0 * length);
            const std::uint64_t cut = rows * (wraps_ ? 2 : 1) * cables_[d];
            properties.bisection = std::min(properties.bisection.value_or(cut), cut);
        }
        return properties;
    }

private:
    [[nodiscard]] std::uint32_t vertex_of(std::uint32_t node) const noexcept {
        return per_switch_ > 1 ? node / per_switch_ : node;
    }
    [[nodiscard]] const std::int32_t* coordinates_of(std::uint32_t node) const noexcept {
        return coordinates_.data() + static_cast<std::size_t>(node) * turns_.size();
    }
    [[nodiscard]] std::uint32_t neighbour(std::uint32_t vertex, std::size_t d, std::uint32_t stride, bool up) const {
        const std::uint32_t length = lengths_[d];
        const std::uint32_t at = vertex / stride % length;
        const std::uint32_t next = up ? (at + 1) % length : (at + length - 1) % length;
        return vertex - at * stride + next * stride;
    }

    void set_coordinates() {
        coordinates_.reserve(static_cast<std::size_t>(node_count()) * lengths_.size());
        for (std::uint32_t node = 0; node < node_count(); ++node) {
            std::uint32_t rest = vertex_of(node);
            for (const std::uint32_t length : lengths_) {
                coordinates_.push_back(static_cast<std::int32_t>(rest % length));
                rest /= length;
            }
        }
    }

    /// Joins rows. A ring of two vertices has two cables, which are one link.
    void join_rows() {
        const std::uint32_t base = switch_count() == 0 ? 0 : node_count();
        upwards_.resize(static_cast<std::size_t>(vertices_) * lengths_.size());
        for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
            std::uint32_t stride = 1;
            for (std::size_t d = 0; d < lengths_.size(); stride *= lengths_[d++]) {
                const std::uint32_t next = neighbour(vertex, d, stride, true);
                std::uint32_t& link = upwards_[vertex * lengths_.size() + d];
                if (next > vertex) {
                    link = join(base + vertex, base + next, cables_[d] * (wraps_ && lengths_[d] == 2 ? 2 : 1));
                } else if (lengths_[d] == 2) {
                    link = upwards_[next * lengths_.size() + d] + 1;
                } else if (wraps_ && next < vertex) {
                    link = join(base + vertex, base + next, cables_[d]);
                }
            }
        }
    }

    std::vector<std::uint32_t> lengths_;
    std::vector<std::uint32_t> cables_;  // cables of each dimension
    bool wraps_;
    std::uint32_t per_switch_;  // 0: the nodes themselves form the torus
    std::uint32_t vertices_;    // number of connected vertices
    std::vector<std::int32_t> turns_;
    std::vector<std::int32_t> coordinates_;  // coordinates of each node
    std::vector<std::uint32_t> upwards_;     // by vertex and dimension: the link to the next vertex
};

std::unique_ptr<Topology> make(const Parameters& parameters, bool wraps) {
    std::vector<std::uint32_t> lengths = parameters.list("lengths", 1);
    std::vector<std::uint32_t> cables = parameters.list_of("cables", lengths.size(), 1);
    const std::uint32_t per_switch = parameters.number_or("nodes_per_switch", 0, 0);
    const std::uint32_t vertices = parameters.product("lengths", lengths);
    const std::uint32_t factors[] = {vertices, per_switch};
    parameters.product("nodes_per_switch", factors);
    return std::make_unique<Torus>(std::move(lengths), wraps, per_switch, std::move(cables), vertices);
}

}  // namespace

std::unique_ptr<Topology> make_torus(const Parameters& parameters) { return make(parameters, true); }
std::unique_ptr<Topology> make_mesh(const Parameters& parameters) { return make(parameters, false); }

}  // namespace waywiser::machine
