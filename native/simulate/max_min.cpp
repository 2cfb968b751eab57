#include "simulate/max_min.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::simulate {
namespace {

/// Rates and loads that differ by less are the same: what sums of doubles lose.
constexpr double kRounding = 1e-11;

/// Links are looked at so often, for each there is, before levels may not lag any more: then their changes end.
constexpr std::size_t kPatience = 8;

/// Whether a link of that level has to be looked at when a flow on it may be as fast as that, and was before.
bool matters(double level, double before, double now) {
    if (now > before) return before < level;
    // It leaves something, which somebody may want.
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
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Flow& flow = flows_[number];
    flow.route = route;
    flow.most = flow.rate = most;
    flow.present = true;
    touch(number, flow);
    flow.rate_before = -1;
    join(number, 0);
    for (const machine::Share& share : route) mark(share.link);
    expect_met(number);
    return number;
}

void MaxMin::remove(std::uint32_t number) {
    Flow& flow = flows_[number];
    for (std::size_t hop = 0; hop < flow.route.size(); ++hop) {
        const std::uint32_t number_of_link = link_of(flow, hop);
        Link& link = links_[number_of_link];
        link.crossings.remove(number);
        if (link.crossings.all().empty()) {
            link.level = kOpen;
        } else {
            mark(number_of_link);
        }
    }
    flow.present = false;
    free_.push_back(number);
}

void MaxMin::extend(std::uint32_t number, std::span<const machine::Share> route) {
    const std::size_t known = std::exchange(flows_[number].route, route).size();
    join(number, known);
}

/// The links of its route from that hop on.
void MaxMin::join(std::uint32_t number, std::size_t first_hop) {
    Flow& flow = flows_[number];
    for (std::size_t hop = first_hop; hop < flow.route.size(); ++hop) {
        const machine::Share& share = flow.route[hop];
        links_[share.link].crossings.add({.cap = flow.most, .flow = number, .hop = static_cast<std::uint32_t>(hop)});
        whole_ = whole_ && share.part == 1;
        if (hop < flow.near.size()) flow.near[hop] = share.link;
    }
    limit(number);
}

std::span<const std::uint32_t> MaxMin::settle() {
    const std::size_t own = marked_.size();
    const std::size_t patience = own + kPatience * links_.size();
    for (std::size_t i = 0; i < marked_.size(); ++i) {
        is_marked_[marked_[i]] = 0;
        Link& link = links_[marked_[i]];
        const bool may_lag = i >= own && i < patience;
        if (!adjust(link, may_lag ? slack_ : 1 - kRounding)) continue;
        for (const Crossing& crossing : link.crossings.near()) expect_links(crossing.flow);
        for (const Crossing& crossing : link.crossings.all()) limit(crossing.flow);
    }
    marked_.clear();
    changed_.clear();
    for (const std::uint32_t number : touched_) {
        Flow& flow = flows_[number];
        flow.touched = false;
        if (flow.present && flow.rate != flow.rate_before) changed_.push_back(number);
    }
    touched_.clear();
    return changed_;
}

/// A flow is as fast as its links' levels permit, and on each of them no faster than the others do.
void MaxMin::limit(std::uint32_t number) {
    Flow& flow = flows_[number];
    double lowest = flow.most;
    double second = flow.most;
    std::size_t lowest_hop = flow.route.size();
    for (std::size_t hop = 0; hop < flow.route.size(); ++hop) {
        const double level = links_[link_of(flow, hop)].level;
        if (level < lowest) {
            second = std::exchange(lowest, level);
            lowest_hop = hop;
        } else {
            second = std::min(second, level);
        }
    }
    if (lowest != flow.rate) {
        touch(number, flow);
        flow.rate = lowest;
    }
    flow.bottleneck = lowest_hop < flow.route.size() ? link_of(flow, lowest_hop) : kNone;
    for (std::size_t hop = 0; hop < flow.route.size(); ++hop) {
        const std::uint32_t number_of_link = link_of(flow, hop);
        Link& link = links_[number_of_link];
        const double cap = hop == lowest_hop ? second : lowest;
        if (matters(link.level, std::exchange(link.crossings.of(number).cap, cap), cap)) mark(number_of_link);
    }
}

void MaxMin::touch(std::uint32_t number, Flow& flow) {
    if (std::exchange(flow.touched, true)) return;
    flow.rate_before = flow.rate;
    touched_.push_back(number);
}

void MaxMin::mark(std::uint32_t link) {
    if (std::exchange(is_marked_[link], 1) == 0) marked_.push_back(link);
}

/// The link's level follows from what its other links leave each of its flows. It may be too low by the slack, but not
/// too high. \return whether it has changed
bool MaxMin::adjust(Link& link, double slack) const {
    double wanted = 0;
    double parts = 0;
    for (const Crossing& crossing : link.crossings.all()) {
        const double taken = part(crossing);
        wanted += taken * crossing.cap;
        parts += taken;
    }
    const double level = wanted > link.capacity * (1 + kRounding) ? full_level(link, parts) : kOpen;
    if (link.level <= level * (1 + kRounding) && link.level >= level * slack) return false;
    link.level = level;
    return true;
}

/// Where not all flows get what they may take: what those who may take less leave is for the others in equal parts.
double MaxMin::full_level(const Link& link, double parts) const {
    double level = link.capacity / parts;
    for (;;) {
        double left = link.capacity;
        double sharing = 0;
        for (const Crossing& crossing : link.crossings.all()) {
            const double taken = part(crossing);
            if (crossing.cap <= level) {
                left -= taken * crossing.cap;
            } else {
                sharing += taken;
            }
        }
        const double next = left / sharing;
        if (!(next > level)) return level;
        level = next;
    }
}

}  // namespace waywiser::simulate
