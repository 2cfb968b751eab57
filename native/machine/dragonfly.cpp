/// Dragonflies: groups of switches that are all joined within a group, and groups that are all joined, in the relative
/// or the absolute arrangement of global links. Minimal routing: a way crosses one global link at most, although two in
/// succession through a third group are sometimes one hop shorter. Adaptive routing adds detours through a third group
/// or, within a group, through a third switch.
///
/// Sources: J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008;
/// E. Hastings, D. Rincon-Cruz, M. Spehlmann, S. Meyers, A. Xu, D. P. Bunde, V. J. Leung, "Comparing global link
/// arrangements for dragonfly networks", CLUSTER 2015.
#include <algorithm>
#include <set>

#include "machine/families.hpp"
#include "machine/groups.hpp"
#include "machine/wired.hpp"

namespace waywiser::machine {
namespace {

struct Shape {
    std::uint32_t nodes_per_switch = 1;    ///< p
    std::uint32_t switches_per_group = 1;  ///< a
    std::uint32_t global_ports = 1;        ///< h, global ports of each switch
    std::uint32_t groups = 1;              ///< g
    std::uint32_t links_per_pair = 1;      ///< links between two groups
    std::uint32_t local_cables = 1;        ///< cables between two switches of a group
    std::uint32_t global_cables = 1;       ///< cables of each global link
    bool absolute = false;                 ///< absolute arrangement of global links; otherwise relative
    bool adaptive = false;                 ///< detours by load; otherwise minimal routing only

    [[nodiscard]] std::uint32_t switches() const noexcept { return groups * switches_per_group; }
    [[nodiscard]] std::uint32_t nodes() const noexcept { return switches() * nodes_per_switch; }
    [[nodiscard]] std::uint32_t local_pairs() const noexcept {
        return switches_per_group * (switches_per_group - 1) / 2;
    }
};

class Dragonfly final : public Wired {
public:
    explicit Dragonfly(const Shape& shape) : Wired(shape.nodes(), shape.switches()), shape_(shape) {
        join_nodes(shape_.nodes_per_switch);
        for (std::uint32_t node = 0; node < node_count(); ++node) {
            const std::uint32_t host_switch = node / shape_.nodes_per_switch;
            at_.push_back(
                {.group = host_switch / shape_.switches_per_group, .place = host_switch % shape_.switches_per_group});
        }
        join_groups_inside();
        join_groups();
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return "dragonfly"; }

    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        if (a == b) return 0;
        const Place from = at_[a];
        const Place to = at_[b];
        if (from.group == to.group) return from.place == to.place ? 2 : 3;
        std::uint32_t least = 2;
        for (std::uint32_t link = 0; link < shape_.links_per_pair && least > 0; ++link) {
            least = std::min(least, local_hops(from, to, link));
        }
        return 3 + least;
    }

    /// Shares traffic equally among the links between two groups that make the route shortest.
    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override {
        if (a == b) return;
        const Place from = at_[a];
        const Place to = at_[b];
        links.push_back({.link = to_switch(a)});
        if (from.group == to.group) {
            append_local(from.group, from.place, to.place, 1, links);
        } else {
            std::uint32_t least = 2;
            std::uint32_t choices = 0;
            for (std::uint32_t link = 0; link < shape_.links_per_pair; ++link) {
                const std::uint32_t more = local_hops(from, to, link);
                if (more < least) choices = 0;
                least = std::min(least, more);
                choices += static_cast<std::uint32_t>(more == least);
            }
            for (std::uint32_t link = 0; link < shape_.links_per_pair; ++link) {
                if (local_hops(from, to, link) == least) append_global(from, to, link, 1.0 / choices, links);
            }
        }
        links.push_back({.link = to_node(b)});
    }

    [[nodiscard]] bool is_adaptive() const noexcept override { return shape_.adaptive; }

    /// Within a group, each other switch; between groups, each third group with each pair of global links.
    [[nodiscard]] std::uint64_t detour_count(std::uint32_t a, std::uint32_t b) const noexcept override {
        const Place from = at_[a];
        const Place to = at_[b];
        if (!shape_.adaptive) return 0;
        if (from.group == to.group) return from.place == to.place ? 0 : shape_.switches_per_group - 2;
        return std::uint64_t{shape_.groups - 2} * shape_.links_per_pair * shape_.links_per_pair;
    }

    void detour(std::uint32_t a, std::uint32_t b, std::uint64_t number, std::vector<Share>& links) const override {
        const Place from = at_[a];
        const Place to = at_[b];
        links.push_back({.link = to_switch(a)});
        if (from.group == to.group) {
            const std::uint32_t middle = other_than(from.place, to.place, number);
            append_local(from.group, from.place, middle, 1, links);
            append_local(from.group, middle, to.place, 1, links);
        } else {
            const std::uint64_t pair = number / (shape_.groups - 2);
            const auto first = static_cast<std::uint32_t>(pair / shape_.links_per_pair);
            const auto second = static_cast<std::uint32_t>(pair % shape_.links_per_pair);
            const std::uint32_t group = other_than(from.group, to.group, number % (shape_.groups - 2));
            const Place middle{.group = group, .place = gateway(group, from.group, first)};
            append_global(from, middle, first, 1, links);
            append_global(middle, to, second, 1, links);
        }
        links.push_back({.link = to_node(b)});
    }

    /// Groupings by groups, then by switches.
    [[nodiscard]] std::vector<Grouping> groupings() const override {
        std::vector<Grouping> all;
        append_blocks(all, node_count(), shape_.switches_per_group * shape_.nodes_per_switch);
        append_blocks(all, node_count(), shape_.nodes_per_switch);
        return all;
    }

    [[nodiscard]] Properties properties() const override {
        const double g = shape_.groups;
        const double a = shape_.switches_per_group;
        const double p = shape_.nodes_per_switch;
        Properties properties{.host_cables = node_count()};
        const std::uint64_t pairs = static_cast<std::uint64_t>(shape_.groups) * (shape_.groups - 1) / 2;
        properties.network_cables =
            static_cast<std::uint64_t>(shape_.groups) * shape_.local_pairs() * shape_.local_cables +
            pairs * shape_.links_per_pair * shape_.global_cables;
        double sum = g * a * p * (2 * (p - 1) + 3 * (a - 1) * p);
        properties.diameter = a > 1 ? 3 : (node_count() > 1 ? 2 : 0);
        for (std::uint32_t high = 0; high < shape_.groups; ++high) {
            for (std::uint32_t low = 0; low < high; ++low) {
                const LocalHops choices = count_local_hops(high, low);
                properties.diameter = std::max(properties.diameter, choices.two > 0 ? 5U : (choices.one > 0 ? 4U : 3U));
                sum += 2 * p * p * (3 * choices.none + 4 * choices.one + 5 * choices.two);
            }
        }
        properties.mean_hops = sum / node_count() / node_count();
        const auto halves = [](std::uint64_t count) { return count / 2 * ((count + 1) / 2); };
        if (shape_.groups > 1) {
            properties.bisection = halves(shape_.groups) * shape_.links_per_pair * shape_.global_cables;
        } else if (shape_.switches_per_group > 1) {
            properties.bisection = halves(shape_.switches_per_group) * shape_.local_cables;
        }
        return properties;
    }

private:
    struct Place {
        std::uint32_t group = 0;
        std::uint32_t place = 0;  ///< place of the switch in its group
    };

    /// The switch of a group with a link to another group. In the relative arrangement, the ports of a group, switch by
    /// switch, lead to the groups that follow it. In the absolute arrangement, they lead to groups 0, 1, ... except
    /// itself. If there are several links to each group, the sequence repeats.
    [[nodiscard]] std::uint32_t gateway(std::uint32_t group, std::uint32_t target, std::uint32_t link) const noexcept {
        const std::uint32_t place = shape_.absolute ? target - static_cast<std::uint32_t>(target > group)
                                                    : target - group - 1 + (target < group ? shape_.groups : 0);
        return gateways_[link * (shape_.groups - 1) + place];
    }

    /// Number of local links before and after the global link.
    [[nodiscard]] std::uint32_t local_hops(Place from, Place to, std::uint32_t link) const noexcept {
        return static_cast<std::uint32_t>(from.place != gateway(from.group, to.group, link)) +
               static_cast<std::uint32_t>(to.place != gateway(to.group, from.group, link));
    }

    /// Number of pairs of switches in two groups, by the local links between them.
    struct LocalHops {
        double none = 0;
        double one = 0;
        double two = 0;
    };
    [[nodiscard]] LocalHops count_local_hops(std::uint32_t first, std::uint32_t second) const {
        std::set<std::uint32_t> first_gates;
        std::set<std::uint32_t> second_gates;
        std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
        for (std::uint32_t link = 0; link < shape_.links_per_pair; ++link) {
            const std::uint32_t here = gateway(first, second, link);
            const std::uint32_t there = gateway(second, first, link);
            first_gates.insert(here);
            second_gates.insert(there);
            joined.emplace(here, there);
        }
        const double a = shape_.switches_per_group;
        LocalHops pairs{.none = static_cast<double>(joined.size())};
        pairs.two = (a - static_cast<double>(first_gates.size())) * (a - static_cast<double>(second_gates.size()));
        pairs.one = a * a - pairs.none - pairs.two;
        return pairs;
    }

    [[nodiscard]] std::uint32_t switch_at(Place place) const noexcept {
        return node_count() + place.group * shape_.switches_per_group + place.place;
    }

    void join_groups_inside() {
        first_local_ = static_cast<std::uint32_t>(links().size());
        for (std::uint32_t group = 0; group < shape_.groups; ++group) {
            for (std::uint32_t high = 1; high < shape_.switches_per_group; ++high) {
                for (std::uint32_t low = 0; low < high; ++low) {
                    join(switch_at({.group = group, .place = low}), switch_at({.group = group, .place = high}),
                         shape_.local_cables);
                }
            }
        }
    }

    void join_groups() {
        for (std::uint32_t port = 0; port < shape_.links_per_pair * (shape_.groups - 1); ++port) {
            gateways_.push_back(port / shape_.global_ports);
        }
        first_global_ = static_cast<std::uint32_t>(links().size());
        for (std::uint32_t high = 1; high < shape_.groups; ++high) {
            for (std::uint32_t low = 0; low < high; ++low) {
                for (std::uint32_t link = 0; link < shape_.links_per_pair; ++link) {
                    join(switch_at({.group = low, .place = gateway(low, high, link)}),
                         switch_at({.group = high, .place = gateway(high, low, link)}), shape_.global_cables);
                }
            }
        }
    }

    void append_local(std::uint32_t group, std::uint32_t from, std::uint32_t to, double part,
                      std::vector<Share>& links) const {
        if (from == to) return;
        const std::uint32_t low = std::min(from, to);
        const std::uint32_t high = std::max(from, to);
        const std::uint32_t pair = group * shape_.local_pairs() + high * (high - 1) / 2 + low;
        links.push_back({.link = first_local_ + 2 * pair + static_cast<std::uint32_t>(from > to), .part = part});
    }

    void append_global(Place from, Place to, std::uint32_t link, double part, std::vector<Share>& links) const {
        const std::uint32_t low = std::min(from.group, to.group);
        const std::uint32_t high = std::max(from.group, to.group);
        const std::uint32_t pair = (high * (high - 1) / 2 + low) * shape_.links_per_pair + link;
        append_local(from.group, from.place, gateway(from.group, to.group, link), part, links);
        links.push_back(
            {.link = first_global_ + 2 * pair + static_cast<std::uint32_t>(from.group > to.group), .part = part});
        append_local(to.group, gateway(to.group, from.group, link), to.place, part, links);
    }

    Shape shape_;
    std::vector<Place> at_;                // place of each node
    std::vector<std::uint32_t> gateways_;  // switch of each global port of a group
    std::uint32_t first_local_ = 0;
    std::uint32_t first_global_ = 0;
};

}  // namespace

std::unique_ptr<Topology> make_dragonfly(const Parameters& parameters) {
    Shape shape{.nodes_per_switch = parameters.number("nodes_per_switch", 1),
                .switches_per_group = parameters.number("switches_per_group", 1, 4096),
                .groups = parameters.number("groups", 1, 4096),
                .links_per_pair = parameters.number_or("links_per_pair", 1, 1, 4096),
                .local_cables = parameters.number_or("local_cables", 1, 1),
                .global_cables = parameters.number_or("global_cables", 1, 1),
                .absolute = parameters.word("arrangement", {"relative", "absolute"}) == 1,
                .adaptive = parameters.word("routing", {"minimal", "adaptive"}) == 1};
    const std::uint32_t factors[] = {shape.nodes_per_switch, shape.switches_per_group, shape.groups};
    parameters.product("groups", factors);
    const std::uint32_t needed = shape.links_per_pair * (shape.groups - 1);
    const std::uint32_t least = std::max((needed + shape.switches_per_group - 1) / shape.switches_per_group, 1U);
    shape.global_ports = parameters.number_or("global_ports", least, least);
    return std::make_unique<Dragonfly>(shape);
}

}  // namespace waywiser::machine
