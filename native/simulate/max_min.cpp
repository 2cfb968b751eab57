#include "simulate/max_min.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::simulate {
namespace {

/// Rates and loads that differ by less count as equal: the rounding error of sums.
constexpr double kRounding = 1e-11;

/// Number of examinations per link after which levels that lag are no longer updated, so that changes end.
constexpr std::size_t kPatience = 8;

/// True if a link at this level must be re-examined because the limit of a flow on it changes from `before` to `now`.
bool matters(double level, double before, double now) {
    if (now > before) return before < level;
    // The flow leaves some of the link, which another flow may take.
    return now < before && now < level && level < std::numeric_limits<double>::infinity();
}

}  // namespace

MaxMin::MaxMin(std::span<const double> capacities, double tolerance)
    : slack_(1 - std::max(tolerance, kRounding)), is_marked_(capacities.size()) {
    links_.expect(capacities.size());
    for (const double capacity : capacities) links_.add().capacity = capacity;
}

std::uint32_t MaxMin::add(std::span<const machine::Share> route, double most) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(flows_.size()));
        flows_.emplace_back();
        most_.push_back(0);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Flow& flow = flows_[number];
    flow = {.route = route.data(),
            .hops = static_cast<std::uint32_t>(route.size()),
            .present = true,
            .touched = flow.touched};
    most_[number] = most;
    double lowest = most;
    double second = most;
    std::size_t lowest_hop = route.size();
    for (std::size_t hop = 0; hop < route.size(); ++hop) {
        const double level = links_[route[hop].link].level;
        if (level < lowest) {
            second = std::exchange(lowest, level);
            lowest_hop = hop;
        } else {
            second = std::min(second, level);
        }
    }
    change(number, flow, lowest);
    for (std::size_t hop = 0; hop < route.size(); ++hop) {
        cross(number, hop, hop == lowest_hop ? second : lowest);
        mark(route[hop].link);
    }
    return number;
}

void MaxMin::remove(std::uint32_t number) {
    Flow& flow = flows_[number];
    for (std::uint32_t hop = 0; hop < flow.hops; ++hop) {
        const std::uint32_t number_of_link = link_of(flow, hop);
        Link& link = links_[number_of_link];
        link.crossings.remove(number);
        if (link.crossings.empty()) {
            link.level = kOpen;
        } else {
            mark(number_of_link);
        }
    }
    flow.present = false;
    free_.push_back(number);
}

void MaxMin::extend(std::uint32_t number, std::span<const machine::Share> route) {
    Flow& flow = flows_[number];
    const std::size_t known = std::exchange(flow.hops, static_cast<std::uint32_t>(route.size()));
    flow.route = route.data();
    for (std::size_t hop = known; hop < route.size(); ++hop) cross(number, hop, flow.rate);
}

void MaxMin::cross(std::uint32_t number, std::size_t hop, double cap) {
    Flow& flow = flows_[number];
    const machine::Share& share = flow.route[hop];
    links_[share.link].crossings.add(number, cap, share.part);
    if (hop < flow.near.size()) flow.near[hop] = share.link;
}

std::uint32_t MaxMin::bottleneck(std::uint32_t number) const noexcept {
    const Flow& flow = flows_[number];
    for (std::uint32_t hop = 0; hop < flow.hops; ++hop) {
        const std::uint32_t link = link_of(flow, hop);
        if (links_[link].level <= flow.rate && flow.rate < most_[number]) return link;
    }
    return kNone;
}

std::span<const MaxMin::Change> MaxMin::settle() {
    const std::size_t own = marked_.size();
    const std::size_t patience = own + kPatience * links_.size();
    for (std::size_t i = 0; i < marked_.size(); ++i) {
        const std::uint32_t number = marked_[i];
        is_marked_[number] = 0;
        if (i + 1 < marked_.size()) expect_links_of_those_on(links_[marked_[i + 1]]);
        const bool may_lag = i >= own && i < patience;
        if (adjust(links_[number], may_lag ? slack_ : 1 - kRounding)) tell(number);
    }
    marked_.clear();
    changed_.clear();
    for (const Change& touch : touched_) {
        Flow& flow = flows_[touch.flow];
        flow.touched = false;
        if (flow.present && flow.rate != touch.before) changed_.push_back(touch);
    }
    touched_.clear();
    return changed_;
}

/// Propagates a link's new level: its flows are as fast as it and their other links permit, and may take more or less
/// of these.
void MaxMin::tell(std::uint32_t number) {
    const Link& link = links_[number];
    const double level = link.level;
    link.crossings.each([&](std::uint32_t crossing, double most, double) {
        Flow& flow = flows_[crossing];
        change(crossing, flow, std::min(most, level));
        for (std::uint32_t hop = 0; hop < flow.hops; ++hop) {
            const std::uint32_t other = link_of(flow, hop);
            if (other == number) continue;
            // The flow's limit on `other` by all links except these two.
            const bool binds = links_[other].level <= most;
            const double rest = binds ? least_but(crossing, number, other) : most;
            cap(other, crossing, std::min(rest, level));
        }
    });
}

double MaxMin::least_but(std::uint32_t number, std::uint32_t first, std::uint32_t second) const noexcept {
    const Flow& flow = flows_[number];
    double least = most_[number];
    for (std::uint32_t hop = 0; hop < flow.hops; ++hop) {
        const std::uint32_t link = link_of(flow, hop);
        if (link != first && link != second) least = std::min(least, links_[link].level);
    }
    return least;
}

/// Sets the limit of a flow by everything except the link.
void MaxMin::cap(std::uint32_t number, std::uint32_t flow, double cap) {
    Link& link = links_[number];
    if (!matters(link.level, std::exchange(link.crossings.cap_of(flow), cap), cap)) return;
    mark(number);
    expect_those_on(link);
}

void MaxMin::change(std::uint32_t number, Flow& flow, double rate) {
    if (flow.rate == rate) return;
    if (!std::exchange(flow.touched, true)) touched_.push_back({.before = flow.rate, .flow = number});
    flow.rate = rate;
}

void MaxMin::mark(std::uint32_t link) {
    if (std::exchange(is_marked_[link], 1) == 0) marked_.push_back(link);
}

/// The link's level follows from what its other links leave each of its flows. It may be too low by the slack, but not
/// too high. \return whether it has changed
bool MaxMin::adjust(Link& link, double slack) {
    double demand = 0;
    double parts = 0;
    link.crossings.each([&](std::uint32_t, double cap, double part) {
        demand += part * cap;
        parts += part;
    });
    const double level = demand > link.capacity * (1 + kRounding) ? full_level(link, parts) : kOpen;
    if (link.level <= level * (1 + kRounding) && link.level >= level * slack) return false;
    link.level = level;
    return true;
}

/// The level of a full link: flows with smaller limits keep these, and the others share the rest equally.
double MaxMin::full_level(const Link& link, double parts) {
    double level = link.capacity / parts;
    for (;;) {
        double left = link.capacity;
        double sharing = 0;
        link.crossings.each([&](std::uint32_t, double cap, double part) {
            if (cap <= level) {
                left -= part * cap;
            } else {
                sharing += part;
            }
        });
        const double next = left / sharing;
        if (!(next > level)) return level;
        level = next;
    }
}

}  // namespace waywiser::simulate
