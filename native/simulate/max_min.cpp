#include "simulate/max_min.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace waywiser::simulate {
namespace {

/// Rates and loads that differ by less are the same: what sums of doubles lose.
constexpr double kRounding = 1e-9;

constexpr std::uint32_t kMostHops = ~0U >> 1U;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

MaxMin::MaxMin(std::span<const double> capacities, double tolerance) : slack_(1 - std::max(tolerance, kRounding)) {
    links_.expect(capacities.size());
    for (const double capacity : capacities) links_.add().capacity = capacity;
}

inline void MaxMin::open_held(const Link& link) {
    for (const Crossing& crossing : link.crossings.all()) {
        if (crossing.held != 0) open(crossing.flow);
    }
}

std::uint32_t MaxMin::add(std::span<const machine::Share> route, double most) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(flows_.size()));
        flows_.emplace_back();
        is_open_.push_back(0);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    bool alone = true;
    for (std::uint32_t hop = 0; hop < route.size(); ++hop) {
        Link& link = links_[route[hop].link];
        alone = alone && link.crossings.all().empty() && most * route[hop].part <= link.capacity;
        open_held(link);
        link.crossings.add({.rate = most, .flow = number, .hop = hop & kMostHops});
        whole_ = whole_ && route[hop].part == 1;
    }
    Flow& flow = flows_[number];
    flow.route = route;
    flow.most = most;
    flow.present = true;
    flow.rate = most;
    flow.bottleneck = kNone;
    if (alone) {
        unhindered_.push_back(number);
    } else {
        open(number);
    }
    flow.rate_before = -1;
    return number;
}

void MaxMin::remove(std::uint32_t number) {
    Flow& flow = flows_[number];
    for (const machine::Share& share : flow.route) {
        Link& link = links_[share.link];
        link.crossings.remove(number);
        open_held(link);
    }
    flow.present = false;
    std::erase(unhindered_, number);
    free_.push_back(number);
}

void MaxMin::extend(std::uint32_t number, std::span<const machine::Share> route) {
    Flow& flow = flows_[number];
    for (auto hop = static_cast<std::uint32_t>(flow.route.size()); hop < route.size(); ++hop) {
        links_[route[hop].link].crossings.add({.rate = flow.rate, .flow = number, .hop = hop & kMostHops});
    }
    flow.route = route;
}

std::span<const std::uint32_t> MaxMin::settle() {
    changed_.clear();
    changed_.swap(unhindered_);
    settle_each();
    if (open_.empty()) return changed_;
    std::size_t involved = 0;
    do {
        involve_links(std::exchange(involved, open_.size()));
        fill();
    } while (widen());
    for (const std::uint32_t number : open_) keep(number);
    for (const Tally& tally : tallies_) links_[tally.link].tally = kNone;
    tallies_.clear();
    hops_.clear();
    open_.clear();
    return changed_;
}

/// Open flows one after the other, as far as there is a rate for each that leaves all others theirs: most flows come
/// upon such links. Those that are in the way of the rest are open after it.
void MaxMin::settle_each() {
    std::erase_if(open_, [this](std::uint32_t number) {
        if (!flows_[number].present) {
            is_open_[number] = 0;
            return true;
        }
        const bool fits = fits_in(number);
        if (fits) keep(number);
        return fits;
    });
    const std::size_t left = open_.size();
    for (std::size_t i = 0; i < left; ++i) open_faster(flows_[open_[i]]);
}

/// The rate that was found for an open flow is its rate.
void MaxMin::keep(std::uint32_t number) {
    const Flow& flow = flows_[number];
    if (flow.rate != flow.rate_before) changed_.push_back(number);
    is_open_[number] = 0;
    for (const machine::Share& share : flow.route) {
        Crossing& crossing = links_[share.link].crossings.of(number);
        crossing.rate = flow.rate;
        crossing.held = flow.bottleneck == share.link;
    }
}

void MaxMin::open(std::uint32_t number) {
    if (std::exchange(is_open_[number], 1) != 0) return;
    Flow& flow = flows_[number];
    flow.rate_before = flow.rate;
    open_.push_back(number);
}

/// Those that are faster on the link which is to be the flow's bottleneck.
void MaxMin::open_faster(const Flow& flow) {
    if (flow.bottleneck == kNone) return;
    for (const Crossing& other : links_[flow.bottleneck].crossings.all()) {
        if (other.rate > flow.rate) open(other.flow);
    }
}

/// Whether there is a rate for a flow that leaves all others theirs, which are not open. If there is none because of a
/// link, that link is its bottleneck, with what it leaves.
bool MaxMin::fits_in(std::uint32_t number) {
    Flow& flow = flows_[number];
    double least = flow.most;
    double highest = 0;
    std::uint32_t bottleneck = kNone;
    flow.bottleneck = kNone;
    for (const machine::Share& share : flow.route) {
        const Link& link = links_[share.link];
        double left = link.capacity;
        double highest_here = 0;
        for (const Crossing& other : link.crossings.all()) {
            if (other.flow == number) continue;
            if (is_open_[other.flow] != 0) return false;
            left -= part(other) * other.rate;
            highest_here = std::max(highest_here, other.rate);
        }
        if (left < least * share.part) {
            least = left / share.part;
            highest = highest_here;
            bottleneck = share.link;
        }
    }
    flow.rate = least;
    flow.bottleneck = bottleneck;
    return least > 0 && least >= highest * slack_;
}

/// Of the open flows from that one on: all of their links are counted, again if they were involved before.
void MaxMin::involve_links(std::size_t from) {
    for (; from < open_.size(); ++from) {
        Flow& flow = flows_[open_[from]];
        flow.first_hop = static_cast<std::uint32_t>(hops_.size());
        for (const machine::Share& share : flow.route) {
            std::uint32_t& tally = links_[share.link].tally;
            if (tally == kNone) {
                tally = static_cast<std::uint32_t>(tallies_.size());
                tallies_.push_back({.link = share.link});
            }
            tallies_[tally].outdated = true;
            hops_.push_back(tally);
        }
    }
    for (Tally& tally : tallies_) {
        if (std::exchange(tally.outdated, false)) count(tally);
    }
}

void MaxMin::count(Tally& tally) const {
    const Link& link = links_[tally.link];
    tally.capacity = link.capacity;
    tally.highest_kept = 0;
    tally.lowest_held = kInfinite;
    tally.open_parts = 0;
    tally.open = 0;
    for (const Crossing& crossing : link.crossings.all()) {
        if (is_open_[crossing.flow] != 0) {
            tally.open_parts += part(crossing);
            ++tally.open;
            continue;
        }
        tally.capacity -= part(crossing) * crossing.rate;
        tally.highest_kept = std::max(tally.highest_kept, crossing.rate);
        if (crossing.held != 0) tally.lowest_held = std::min(tally.lowest_held, crossing.rate);
    }
}

/// Progressive filling: all open flows rise together, and those on the link that is full first stay there. A link that
/// one of them crosses alone only caps it, so that those that several cross are looked at in the order of their levels.
/// The level at which a link is full only rises while flows are fixed elsewhere: a queue of levels that may be too low
/// will do.
void MaxMin::fill() {
    levels_.clear();
    for (std::uint32_t i = 0; i < tallies_.size(); ++i) {
        Tally& tally = tallies_[i];
        tally.left = tally.capacity;
        tally.parts = tally.open_parts;
        tally.waiting = tally.open;
        tally.highest = tally.highest_kept;
        if (tally.open > 1) levels_.push_back({.level = tally.level(), .tally = i});
    }
    for (const std::uint32_t number : open_) {
        Flow& flow = flows_[number];
        if (cap(flow)) fix(flow, flow.cap, flow.capped_by);
    }
    std::ranges::make_heap(levels_, std::greater<>());
    while (!levels_.empty()) {
        std::ranges::pop_heap(levels_, std::greater<>());
        Level& first = levels_.back();
        const Tally& tally = tallies_[first.tally];
        if (tally.waiting > 0 && (tally.level() > first.level || fix_capped(tally, first.level))) {
            first.level = tally.level();
            std::ranges::push_heap(levels_, std::greater<>());
            continue;
        }
        if (tally.waiting > 0) fix_all(tally, first.level);
        levels_.pop_back();
    }
}

/// What a flow gets at most, on links that no other open one crosses too. \return whether there are none but these
bool MaxMin::cap(Flow& flow) const {
    bool alone = true;
    flow.fixed = false;
    flow.cap = flow.most;
    flow.capped_by = kNone;
    for (std::size_t hop = 0; hop < flow.route.size(); ++hop) {
        const Tally& tally = tallies_[hops_[flow.first_hop + hop]];
        if (tally.open > 1) {
            alone = false;
        } else if (const double level = tally.level(); level < flow.cap) {
            flow.cap = level;
            flow.capped_by = tally.link;
        }
    }
    return alone;
}

/// Fixes the flows of a link that cannot rise to its level. \return whether there are any
bool MaxMin::fix_capped(const Tally& tally, double level) {
    bool any = false;
    for (const Crossing& crossing : links_[tally.link].crossings.all()) {
        if (is_open_[crossing.flow] == 0) continue;
        Flow& flow = flows_[crossing.flow];
        if (flow.fixed || flow.cap >= level) continue;
        fix(flow, flow.cap, flow.capped_by);
        any = true;
    }
    return any;
}

void MaxMin::fix_all(const Tally& tally, double level) {
    for (const Crossing& crossing : links_[tally.link].crossings.all()) {
        if (is_open_[crossing.flow] == 0) continue;
        if (Flow& flow = flows_[crossing.flow]; !flow.fixed) fix(flow, level, tally.link);
    }
}

void MaxMin::fix(Flow& flow, double level, std::uint32_t bottleneck) {
    flow.fixed = true;
    flow.rate = level;
    flow.bottleneck = bottleneck;
    for (std::size_t hop = 0; hop < flow.route.size(); ++hop) {
        Tally& tally = tallies_[hops_[flow.first_hop + hop]];
        tally.left -= flow.route[hop].part * level;
        tally.parts -= flow.route[hop].part;
        tally.highest = std::max(tally.highest, level);
        --tally.waiting;
    }
}

bool MaxMin::is_bottleneck(const Tally& tally, double rate) const noexcept {
    return tally.left <= links_[tally.link].capacity * (1 - slack_) && rate >= tally.highest * slack_;
}

/// Opens the flows that filling has left without a bottleneck, and those that keep an open one from having any.
bool MaxMin::widen() {
    const std::size_t opened = open_.size();
    for (std::size_t i = 0; i < opened; ++i) {
        const Flow& flow = flows_[open_[i]];
        if (flow.bottleneck == kNone) continue;
        if (!is_bottleneck(tallies_[links_[flow.bottleneck].tally], flow.rate)) open_faster(flow);
    }
    for (const Tally& tally : tallies_) {
        if (tally.lowest_held == kInfinite || is_bottleneck(tally, tally.lowest_held)) continue;
        for (const Crossing& other : links_[tally.link].crossings.all()) {
            if (other.held != 0 && !is_bottleneck(tally, other.rate)) open(other.flow);
        }
    }
    return open_.size() > opened;
}

}  // namespace waywiser::simulate
