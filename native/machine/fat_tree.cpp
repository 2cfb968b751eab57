/// Fat trees of any height, width, taper and number of parallel cables (PGFT), with their special cases. These are the
/// k-ary n-tree, the three-level tree of switches with k ports, and the plain hierarchy of levels.
///
/// Sources: S. Ohring, M. Ibel, S. Das, M. Kumar, "On generalized fat trees", IPPS 1995; E. Zahavi, "Fat-tree routing
/// and node ordering providing contention free traffic for MPI global collectives", Journal of Parallel and
/// Distributed Computing 72(11), 2012 (PGFT and D-Mod-K); F. Petrini, M. Vanneschi, "k-ary n-trees", IPPS 1997.
#include <algorithm>
#include <array>
#include <bit>

#include "machine/families.hpp"
#include "machine/groups.hpp"
#include "machine/wired.hpp"

namespace waywiser::machine {
namespace {

/// The numbers of each level from the nodes up, as in PGFT(h; m; w; p).
struct TreeShape {
    std::vector<std::uint32_t> down;       ///< m: number of vertices below a vertex of this level
    std::vector<std::uint32_t> up;         ///< w: number of vertices above a vertex of the level below
    std::vector<std::uint32_t> cables;     ///< p: number of cables between two vertices
    std::vector<std::uint32_t> distances;  ///< distance between nodes whose routes meet at this level
    std::string_view kind;
    bool ecmp = false;

    /// Vertices of a level in a subtree that it roots: the product of `up`.
    [[nodiscard]] std::uint32_t width(std::size_t level) const {
        return std::accumulate(up.begin(), up.begin() + static_cast<std::ptrdiff_t>(level), 1U, std::multiplies<>());
    }
    /// Nodes below a vertex of a level: the product of `down`.
    [[nodiscard]] std::uint32_t nodes(std::size_t level) const {
        return std::accumulate(down.begin(), down.begin() + static_cast<std::ptrdiff_t>(level), 1U,
                               std::multiplies<>());
    }
    [[nodiscard]] std::size_t height() const noexcept { return down.size(); }
    [[nodiscard]] std::uint32_t switches() const {
        std::uint32_t sum = 0;
        for (std::size_t level = 1; level <= height(); ++level) sum += nodes(height()) / nodes(level) * width(level);
        return sum;
    }
};

class FatTree final : public Wired {
public:
    explicit FatTree(TreeShape shape) : Wired(shape.nodes(shape.height()), shape.switches()), shape_(std::move(shape)) {
        std::uint32_t first = node_count();
        std::uint32_t first_below = 0;
        below_.push_back(1);
        width_.push_back(1);
        for (std::size_t level = 1; level <= shape_.height(); ++level) {
            below_.push_back(shape_.nodes(level));
            width_.push_back(shape_.width(level));
            first_link_.push_back(static_cast<std::uint32_t>(links().size()));
            join_level(level, first_below, first);
            first_below = first;
            first += node_count() / below_[level] * width_[level];
        }
        set_digits();
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return shape_.kind; }

    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        return distance_[static_cast<std::size_t>(std::bit_width(digits_[a] ^ digits_[b]))];
    }

    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override {
        if (a == b) return;
        const auto top =
            static_cast<std::size_t>(level_[static_cast<std::size_t>(std::bit_width(digits_[a] ^ digits_[b]))]);
        if (shape_.ecmp) {
            route_evenly(a, b, top, links);
        } else {
            route_by_destination(a, b, top, links);
        }
    }

    /// Groupings by subtrees, from the second highest level down.
    [[nodiscard]] std::vector<Grouping> groupings() const override {
        std::vector<Grouping> all;
        for (std::size_t level = shape_.height(); level-- > 1;) {
            append_blocks(all, node_count(), below_[level]);
        }
        return all;
    }

    [[nodiscard]] Properties properties() const override {
        Properties properties;
        for (std::size_t level = 1; level <= shape_.height(); ++level) {
            const std::uint64_t subtrees = node_count() / below_[level - 1];
            const std::uint64_t cables = subtrees * width_[level] * shape_.cables[level - 1];
            (level == 1 ? properties.host_cables : properties.network_cables) += cables;
            properties.mean_hops +=
                static_cast<double>(shape_.distances[level - 1]) * (below_[level] - below_[level - 1]) / node_count();
            if (below_[level] > below_[level - 1]) properties.diameter = shape_.distances[level - 1];
            const std::uint64_t cut = cables / subtrees * (subtrees / 2);
            if (subtrees > 1) properties.bisection = std::min(properties.bisection.value_or(cut), cut);
        }
        return properties;
    }

private:
    /// A vertex of a level is identified by its subtree and by the choices on the way up: `high * width + low`.
    [[nodiscard]] std::uint32_t link_up(std::size_t level, std::uint32_t high, std::uint32_t low,
                                        std::uint32_t choice) const noexcept {
        return first_link_[level - 1] + 2 * ((high * width_[level - 1] + low) * shape_.up[level - 1] + choice);
    }

    void join_level(std::size_t level, std::uint32_t first_below, std::uint32_t first) {
        for (std::uint32_t high = 0; high < node_count() / below_[level - 1]; ++high) {
            for (std::uint32_t low = 0; low < width_[level - 1]; ++low) {
                for (std::uint32_t choice = 0; choice < shape_.up[level - 1]; ++choice) {
                    const std::uint32_t above =
                        high / shape_.down[level - 1] * width_[level] + low + choice * width_[level - 1];
                    join(first_below + high * width_[level - 1] + low, first + above, shape_.cables[level - 1]);
                }
            }
        }
    }

    /// Packs the digits of a node's number, so that the highest differing bit of two nodes determines the level at
    /// which they meet.
    void set_digits() {
        digits_.resize(node_count());
        unsigned shift = 0;
        for (std::size_t level = 1; level <= shape_.height(); ++level) {
            const auto bits = static_cast<unsigned>(std::bit_width(shape_.down[level - 1] - 1));
            for (unsigned bit = shift + 1; bit <= shift + bits; ++bit) {
                distance_[bit] = shape_.distances[level - 1];
                level_[bit] = static_cast<std::uint8_t>(level);
            }
            for (std::uint32_t node = 0; node < node_count(); ++node) {
                digits_[node] |= static_cast<std::uint64_t>(node / below_[level - 1] % shape_.down[level - 1]) << shift;
            }
            shift += bits;
        }
    }

    /// D-Mod-K: the port upwards is a digit of the destination.
    void route_by_destination(std::uint32_t a, std::uint32_t b, std::size_t top, std::vector<Share>& links) const {
        std::uint32_t low = 0;
        for (std::size_t level = 1; level <= top; ++level) {
            const std::uint32_t choice = b / width_[level - 1] % shape_.up[level - 1];
            links.push_back({.link = link_up(level, a / below_[level - 1], low, choice)});
            low += choice * width_[level - 1];
        }
        for (std::size_t level = top; level >= 1; --level) {
            const std::uint32_t choice = low / width_[level - 1];
            low %= width_[level - 1];
            links.push_back({.link = link_up(level, b / below_[level - 1], low, choice) + 1});
        }
    }

    /// ECMP: all shortest routes carry an equal share.
    void route_evenly(std::uint32_t a, std::uint32_t b, std::size_t top, std::vector<Share>& links) const {
        for (std::size_t level = 1; level <= top; ++level) {
            const double part = 1.0 / width_[level];
            for (std::uint32_t low = 0; low < width_[level - 1]; ++low) {
                for (std::uint32_t choice = 0; choice < shape_.up[level - 1]; ++choice) {
                    links.push_back({.link = link_up(level, a / below_[level - 1], low, choice), .part = part});
                    links.push_back({.link = link_up(level, b / below_[level - 1], low, choice) + 1, .part = part});
                }
            }
        }
    }

    TreeShape shape_;
    std::vector<std::uint32_t> below_;       // number of nodes under a vertex of each level, from level 0 (nodes) on
    std::vector<std::uint32_t> width_;       // number of vertices of each level in one subtree
    std::vector<std::uint32_t> first_link_;  // by level from 1 on: first upward link from the level below
    std::vector<std::uint64_t> digits_;
    std::array<std::uint32_t, 65> distance_{};  // by the highest differing bit of the digits
    std::array<std::uint8_t, 65> level_{};
};

std::unique_ptr<Topology> make(const Parameters& parameters, std::string_view key, TreeShape shape) {
    parameters.product(key, shape.down);
    parameters.product(key, shape.up);
    std::uint64_t switches = 0;
    std::uint64_t bits = 0;
    for (std::size_t level = 1; level <= shape.height(); ++level) {
        switches += static_cast<std::uint64_t>(shape.nodes(shape.height()) / shape.nodes(level)) * shape.width(level);
        bits += static_cast<std::uint64_t>(std::bit_width(shape.down[level - 1]));
    }
    if (switches > Parameters::kMost || bits > 64)
        parameters.refuse(key, "smaller: there are too many switches or levels");
    if (shape.distances.empty()) {
        for (std::uint32_t level = 1; level <= shape.height(); ++level) shape.distances.push_back(2 * level);
    }
    return std::make_unique<FatTree>(std::move(shape));
}

bool reads_ecmp(const Parameters& parameters) { return parameters.word("routing", {"d-mod-k", "ecmp"}) == 1; }

}  // namespace

std::unique_ptr<Topology> make_fat_tree(const Parameters& parameters) {
    TreeShape shape;
    shape.kind = "fat-tree";
    shape.down = parameters.list("down", 1);
    shape.up = parameters.list_of("up", shape.height(), 1);
    shape.cables = parameters.list_of("cables", shape.height(), 1);
    shape.ecmp = reads_ecmp(parameters);
    return make(parameters, "down", std::move(shape));
}

std::unique_ptr<Topology> make_k_ary_n_tree(const Parameters& parameters) {
    const std::uint32_t k = parameters.number("k", 2);
    const std::uint32_t n = parameters.number("n", 1, 24);
    TreeShape shape;
    shape.kind = "k-ary-n-tree";
    shape.down.assign(n, k);
    shape.up.assign(n, k);
    shape.up.front() = 1;
    shape.cables.assign(n, 1);
    shape.ecmp = reads_ecmp(parameters);
    return make(parameters, "k", std::move(shape));
}

std::unique_ptr<Topology> make_three_level_fat_tree(const Parameters& parameters) {
    const std::uint32_t ports = parameters.number("ports", 2, 512);
    if (ports % 2 != 0) parameters.refuse("ports", "an even number");
    TreeShape shape;
    shape.kind = "three-level-fat-tree";
    shape.down = {ports / 2, ports / 2, ports};
    shape.up = {1, ports / 2, ports / 2};
    shape.cables = {1, 1, 1};
    shape.ecmp = reads_ecmp(parameters);
    return make(parameters, "ports", std::move(shape));
}

std::unique_ptr<Topology> make_hierarchy(const Parameters& parameters) {
    TreeShape shape;
    shape.kind = "hierarchy";
    shape.down = parameters.list("sizes", 1);
    shape.up.assign(shape.height(), 1);
    shape.cables = parameters.list_of("cables", shape.height(), 1);
    if (parameters.has("distances")) {
        shape.distances = parameters.list_of("distances", shape.height(), 0);
        if (!std::ranges::is_sorted(shape.distances)) parameters.refuse("distances", "a list that does not fall");
    }
    return make(parameters, "sizes", std::move(shape));
}

}  // namespace waywiser::machine
