#include "machine/failures.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "machine/graph.hpp"

namespace waywiser::machine {
namespace {

constexpr std::uint32_t kLost = std::numeric_limits<std::uint32_t>::max();

using Ends = std::pair<std::uint32_t, std::uint32_t>;

std::string words(const Topology& topology, Ends ends) {
    const auto word = [&](std::uint32_t vertex) {
        return vertex < topology.node_count() ? "node " + std::to_string(vertex)
                                              : "switch " + std::to_string(vertex - topology.node_count());
    };
    return word(ends.first) + " and " + word(ends.second);
}

/// Failed cables by the two vertices that they join, the lower one first.
std::map<Ends, double> lost_cables(const Topology& topology, std::span<const Failure> failures) {
    std::map<Ends, double> there;
    for (const Link& link : topology.links()) {
        if (link.from < link.to) there[{link.from, link.to}] += link.cables;
    }
    std::map<Ends, double> lost;
    for (const Failure& failure : failures) {
        const Ends ends = std::minmax(failure.a, failure.b);
        const auto entry = there.find(ends);
        require(entry != there.end(), "failed: there is no link between " + words(topology, ends));
        double& down = lost[ends];
        down = failure.cables == 0 ? entry->second : down + failure.cables;
        require(down <= entry->second, "failed: between " + words(topology, ends) + " are only " +
                                           std::to_string(static_cast<std::uint64_t>(entry->second)) + " cables");
    }
    return lost;
}

class Degraded final : public Topology {
public:
    Degraded(std::unique_ptr<Topology> whole, std::span<const Failure> failures)
        : whole_(std::move(whole)),
          number_of_(whole_->links().size(), kLost),
          rest_("failed", whole_->node_count(), whole_->switch_count(), left(failures)) {
        set_hops();
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return whole_->kind(); }
    [[nodiscard]] std::uint32_t node_count() const noexcept override { return whole_->node_count(); }
    [[nodiscard]] std::uint32_t switch_count() const noexcept override { return whole_->switch_count(); }
    [[nodiscard]] std::span<const Link> links() const noexcept override { return rest_.links(); }
    [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept override {
        return a == b ? 0 : hops_[rest_.place_of(a) * rest_.places().size() + rest_.place_of(b)];
    }

    void route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const override {
        if (!old_route(a, b, links)) rest_.route(a, b, links);
    }

    [[nodiscard]] bool is_adaptive() const noexcept override { return whole_->is_adaptive(); }
    [[nodiscard]] std::uint64_t detour_count(std::uint32_t a, std::uint32_t b) const noexcept override {
        return whole_->detour_count(a, b);
    }
    void detour(std::uint32_t a, std::uint32_t b, std::uint64_t number, std::vector<Share>& links) const override {
        const std::size_t begin = links.size();
        whole_->detour(a, b, number, links);
        (void)renumber(links, begin);
    }

    [[nodiscard]] std::vector<Grouping> groupings() const override { return whole_->groupings(); }
    [[nodiscard]] Grid grid() const override { return whole_->grid(); }

private:
    /// The route in the intact network; none if it used a failed link.
    bool old_route(std::uint32_t a, std::uint32_t b, std::vector<Share>& links) const {
        const std::size_t begin = links.size();
        whole_->route(a, b, links);
        return renumber(links, begin);
    }

    /// Numbers links from `begin` on as among the remaining ones. If one has failed, removes them and returns false.
    bool renumber(std::vector<Share>& links, std::size_t begin) const {
        for (std::size_t i = begin; i < links.size(); ++i) {
            links[i].link = number_of_[links[i].link];
            if (links[i].link == kLost) {
                links.resize(begin);
                return false;
            }
        }
        return true;
    }

    /// If the shortest remaining route differs in length from the old one, an intact old route keeps its length. A
    /// dragonfly's route may be longer than the shortest, and a hierarchy's distances are given.
    void set_hops() {
        const std::span<const std::uint32_t> first = rest_.places();
        std::vector<std::uint32_t> last(first.size());
        for (std::uint32_t node = 0; node < node_count(); ++node) last[rest_.place_of(node)] = node;
        hops_.reserve(first.size() * first.size());
        std::vector<Share> links;
        for (const std::uint32_t a : first) {
            for (const std::uint32_t b : last) {
                const std::uint32_t before = whole_->hops(a, b);
                const std::uint32_t now = rest_.hops(a, b);
                links.clear();
                hops_.push_back(before != now && old_route(a, b, links) ? before : now);
            }
        }
    }

    std::vector<Link> left(std::span<const Failure> failures) {
        std::map<Ends, double> lost = lost_cables(*whole_, failures);
        std::vector<Link> links;
        for (std::uint32_t i = 0; i < whole_->links().size(); i += 2) {
            Link link = whole_->links()[i];
            if (const auto entry = lost.find(std::minmax(link.from, link.to)); entry != lost.end()) {
                const double down = std::min(entry->second, link.cables);
                entry->second -= down;
                link.cables -= down;
                if (link.cables == 0) continue;
            }
            for (std::uint32_t direction : {0U, 1U}) {
                number_of_[i + direction] = static_cast<std::uint32_t>(links.size());
                links.push_back(link);
                std::swap(link.from, link.to);
            }
        }
        return links;
    }

    std::unique_ptr<Topology> whole_;
    std::vector<std::uint32_t> number_of_;  // number of each link of the intact network among the remaining links
    Graph rest_;
    std::vector<std::uint32_t> hops_;  // hops between two places of the remaining network
};

}  // namespace

std::unique_ptr<Topology> without(std::unique_ptr<Topology> topology, std::span<const Failure> failures) {
    if (failures.empty()) return topology;
    return std::make_unique<Degraded>(std::move(topology), failures);
}

}  // namespace waywiser::machine
