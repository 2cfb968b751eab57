/// HyperX: switches in a grid, each joined to all others of its row in every dimension; with one dimension, all-to-all.
/// Dimension-order routing; adaptive routing adds detours through a third switch.
///
/// Source: J. H. Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber, "HyperX: topology, routing, and packaging of
/// efficient large-scale networks", SC 2009.
#include <algorithm>

#include "machine/families.hpp"
#include "machine/groups.hpp"
#include "machine/wired.hpp"

namespace waywiser::machine {
namespace {

constexpr std::uint64_t kMostPairs = 1U << 27U;

class HyperX final : public Wired {
public:
    HyperX(std::string_view kind, std::vector<std::uint32_t> lengths, std::uint32_t nodes_per_switch,
           std::vector<std::uint32_t> cables, std::uint32_t switches, bool adaptive)
        : Wired(switches * nodes_per_switch, switches),
          kind_(kind),
          lengths_(std::move(lengths)),
          cables_(std::move(cables)),
          per_switch_(nodes_per_switch),
          adaptive_(adaptive) {
        join_nodes(per_switch_);
        for (std::uint32_t node = 0; node < node_count(); ++node) {
            std::uint32_t rest = node / per_switch_;
            for (const std::uint32_t length : lengths_) {
                coordinates_.push_back(rest % length);
                rest /= length;
            }
        }
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < lengths_.size(); stride *= lengths_[d++]) {
            first_link_.push_back(static_cast<std::uint32_t>(links().size()));
            join_dimension(lengths_[d], stride, cables_[d]);
        }
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return kind_; }

    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        if (a == b) return 0;
        const std::uint32_t* from = coordinates_of(a);
        const std::uint32_t* to = coordinates_of(b);
        std::uint32_t sum = 2;
        for (std::size_t d = 0; d < lengths_.size(); ++d) sum += static_cast<std::uint32_t>(from[d] != to[d]);
        return sum;
    }

    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override {
        if (a == b) return;
        links.push_back({.link = to_switch(a)});
        append_between(a, b, links);
        links.push_back({.link = to_node(b)});
    }

    [[nodiscard]] bool is_adaptive() const noexcept override { return adaptive_; }

    /// Each switch but the two of the nodes.
    [[nodiscard]] std::uint64_t detour_count(std::uint32_t a, std::uint32_t b) const noexcept override {
        return !adaptive_ || a / per_switch_ == b / per_switch_ ? 0 : switch_count() - 2;
    }

    void detour(std::uint32_t a, std::uint32_t b, std::uint64_t number, std::vector<Share>& links) const override {
        const std::uint32_t middle = other_than(a / per_switch_, b / per_switch_, number) * per_switch_;
        links.push_back({.link = to_switch(a)});
        append_between(a, middle, links);
        append_between(middle, b, links);
        links.push_back({.link = to_node(b)});
    }

    /// Groupings by slices across the slowest dimension, then by rows, down to the nodes of a switch.
    [[nodiscard]] std::vector<Grouping> groupings() const override {
        std::vector<Grouping> all;
        std::uint32_t size = node_count();
        for (std::size_t d = lengths_.size(); d-- > 0;) {
            size /= lengths_[d];
            append_blocks(all, node_count(), size);
        }
        return all;
    }

    [[nodiscard]] Properties properties() const override {
        Properties properties{
            .host_cables = node_count(), .diameter = node_count() > 1 ? 2U : 0U, .mean_hops = 2 - 2.0 / node_count()};
        for (std::size_t d = 0; d < lengths_.size(); ++d) {
            const std::uint64_t length = lengths_[d];
            if (length == 1) continue;
            const std::uint64_t rows = switch_count() / length;
            properties.network_cables += rows * (length * (length - 1) / 2) * cables_[d];
            ++properties.diameter;
            properties.mean_hops += 1 - 1.0 / static_cast<double>(length);
            const std::uint64_t cut = rows * (length / 2) * ((length + 1) / 2) * cables_[d];
            properties.bisection = std::min(properties.bisection.value_or(cut), cut);
        }
        return properties;
    }

private:
    [[nodiscard]] const std::uint32_t* coordinates_of(std::uint32_t node) const noexcept {
        return coordinates_.data() + static_cast<std::size_t>(node) * lengths_.size();
    }

    /// Appends the links between the switches of two nodes.
    void append_between(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const {
        std::uint32_t at = a / per_switch_;
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < lengths_.size(); stride *= lengths_[d++]) {
            const std::uint32_t from = coordinates_of(a)[d];
            const std::uint32_t to = coordinates_of(b)[d];
            if (from == to) continue;
            links.push_back({.link = link_of(d, stride, at, from, to)});
            at = at - from * stride + to * stride;
        }
    }

    /// Joins the pairs of each row in the order (0,1), (0,2), (1,2), (0,3), ...
    void join_dimension(std::uint32_t length, std::uint32_t stride, std::uint32_t cables) {
        for (std::uint32_t row = 0; row < switch_count() / length; ++row) {
            const std::uint32_t first = node_count() + row % stride + row / stride * stride * length;
            for (std::uint32_t high = 1; high < length; ++high) {
                for (std::uint32_t low = 0; low < high; ++low)
                    join(first + low * stride, first + high * stride, cables);
            }
        }
    }
    [[nodiscard]] std::uint32_t link_of(std::size_t d, std::uint32_t stride, std::uint32_t at, std::uint32_t from,
                                        std::uint32_t to) const noexcept {
        const std::uint32_t length = lengths_[d];
        const std::uint32_t row = at % stride + at / (stride * length) * stride;
        const std::uint32_t low = std::min(from, to);
        const std::uint32_t high = std::max(from, to);
        const std::uint32_t pair = row * (length * (length - 1) / 2) + high * (high - 1) / 2 + low;
        return first_link_[d] + 2 * pair + static_cast<std::uint32_t>(from > to);
    }

    std::string_view kind_;
    std::vector<std::uint32_t> lengths_;
    std::vector<std::uint32_t> cables_;
    std::uint32_t per_switch_;
    bool adaptive_;
    std::vector<std::uint32_t> coordinates_;  // coordinates of each node's switch
    std::vector<std::uint32_t> first_link_;   // first link of each dimension
};

std::unique_ptr<Topology> make(const Parameters& parameters, std::string_view kind, std::string_view key,
                               std::vector<std::uint32_t> lengths) {
    const std::uint32_t switches = parameters.product(key, lengths);
    const std::uint32_t per_switch = parameters.number_or("nodes_per_switch", 1, 1);
    const std::uint32_t factors[] = {switches, per_switch};
    parameters.product("nodes_per_switch", factors);
    std::uint64_t pairs = 0;
    for (const std::uint32_t length : lengths) pairs += static_cast<std::uint64_t>(switches) * (length - 1) / 2;
    if (pairs > kMostPairs) parameters.refuse(key, "smaller: there are too many links");
    std::vector<std::uint32_t> cables = parameters.list_of("cables", lengths.size(), 1);
    const bool adaptive = parameters.word("routing", {"minimal", "adaptive"}) == 1;
    return std::make_unique<HyperX>(kind, std::move(lengths), per_switch, std::move(cables), switches, adaptive);
}

}  // namespace

std::unique_ptr<Topology> make_hyperx(const Parameters& parameters) {
    return make(parameters, "hyperx", "lengths", parameters.list("lengths", 1));
}

std::unique_ptr<Topology> make_all_to_all(const Parameters& parameters) {
    return make(parameters, "all-to-all", "switches", {parameters.number("switches", 1)});
}

}  // namespace waywiser::machine
