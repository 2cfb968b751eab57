#include "simulate/max_min.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace waywiser::simulate {
namespace {

/// Rates and loads that differ by less are the same: what sums of doubles lose.
constexpr double kRounding = 1e-9;

}  // namespace

MaxMin::MaxMin(std::span<const double> capacities, double tolerance)
    : slack_(1 - std::max(tolerance, kRounding)), links_(capacities.size()) {
    for (std::size_t link = 0; link < links_.size(); ++link) links_[link].capacity = capacities[link];
}

std::uint32_t MaxMin::add(std::span<const machine::Share> route) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(flows_.size()));
        flows_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Flow& flow = flows_[number];
    flow.route.clear();
    for (const machine::Share& share : route) {
        std::vector<Member>& members = links_[share.link].members;
        const auto crossing = static_cast<std::uint32_t>(flow.route.size());
        flow.route.push_back(
            {.link = share.link, .part = share.part, .place = static_cast<std::uint32_t>(members.size())});
        members.push_back({.flow = number, .crossing = crossing, .part = share.part});
    }
    flow.present = true;
    flow.rate = route.empty() ? std::numeric_limits<double>::infinity() : 0;
    flow.bottleneck = kNone;
    open(number);
    flow.rate_before = -1;
    open_bottlenecked(flow);
    return number;
}

void MaxMin::remove(std::uint32_t number) {
    Flow& flow = flows_[number];
    for (const Crossing& crossing : flow.route) {
        std::vector<Member>& members = links_[crossing.link].members;
        const Member moved = members[crossing.place] = members.back();
        flows_[moved.flow].route[moved.crossing].place = crossing.place;
        members.pop_back();
    }
    flow.present = false;
    free_.push_back(number);
    open_bottlenecked(flow);
}

std::span<const std::uint32_t> MaxMin::settle() {
    std::erase_if(open_, [this](std::uint32_t flow) {
        if (!flows_[flow].present) flows_[flow].open = false;
        return !flows_[flow].present;
    });
    if (!open_.empty() && !(open_.size() == 1 && fits_in(open_.front()))) {
        do {
            involve_links();
            fill();
        } while (widen());
    }
    changed_.clear();
    for (const std::uint32_t number : open_) {
        Flow& flow = flows_[number];
        if (flow.rate != flow.rate_before) changed_.push_back(number);
        flow.open = false;
    }
    for (const std::uint32_t link : involved_) links_[link].involved = false;
    involved_.clear();
    open_.clear();
    return changed_;
}

void MaxMin::open(std::uint32_t number) {
    Flow& flow = flows_[number];
    if (flow.open) return;
    flow.open = true;
    flow.rate_before = flow.rate;
    open_.push_back(number);
}

/// Flows that are held up by links of a flow that comes or goes.
void MaxMin::open_bottlenecked(const Flow& about) {
    for (const Crossing& crossing : about.route) {
        for (const Member& member : links_[crossing.link].members) {
            if (flows_[member.flow].bottleneck == crossing.link) open(member.flow);
        }
    }
}

/// Whether there is a rate for a flow that leaves all others theirs. A short cut: most flows come upon such links.
bool MaxMin::fits_in(std::uint32_t number) {
    Flow& flow = flows_[number];
    double least = std::numeric_limits<double>::infinity();
    double highest = 0;
    for (const Crossing& crossing : flow.route) {
        const Link& link = links_[crossing.link];
        double left = link.capacity;
        double highest_here = 0;
        for (const Member& member : link.members) {
            if (member.flow == number) continue;
            left -= member.part * flows_[member.flow].rate;
            highest_here = std::max(highest_here, flows_[member.flow].rate);
        }
        if (left / crossing.part < least) {
            least = left / crossing.part;
            highest = highest_here;
            flow.bottleneck = crossing.link;
        }
    }
    if (flow.route.empty() || least <= 0 || least < highest * slack_) return false;
    flow.rate = least;
    return true;
}

void MaxMin::involve_links() {
    for (const std::uint32_t flow : open_) {
        for (const Crossing& crossing : flows_[flow].route) {
            if (std::exchange(links_[crossing.link].involved, true)) continue;
            involved_.push_back(crossing.link);
        }
        flows_[flow].fixed = false;
    }
    for (const std::uint32_t number : involved_) {
        Link& link = links_[number];
        link.left = link.capacity;
        link.parts = 0;
        link.waiting = 0;
        for (const Member& member : link.members) {
            if (flows_[member.flow].open) {
                link.parts += member.part;
                ++link.waiting;
            } else {
                link.left -= member.part * flows_[member.flow].rate;
            }
        }
    }
}

/// Progressive filling: all open flows rise together; those on the link that is full first stay there. The level at
/// which a link is full only rises while flows are fixed elsewhere, so a queue of levels that may be too low will do.
void MaxMin::fill() {
    const auto level = [](const Link& link) { return std::max(link.left, 0.0) / link.parts; };
    levels_.clear();
    for (const std::uint32_t link : involved_) {
        if (links_[link].waiting > 0) levels_.push_back({.level = level(links_[link]), .link = link});
    }
    std::ranges::make_heap(levels_, std::greater<>());
    std::size_t without = open_.size();  // a rate
    while (without > 0 && !levels_.empty()) {
        std::ranges::pop_heap(levels_, std::greater<>());
        Level& first = levels_.back();
        const Link& link = links_[first.link];
        const double now = link.waiting > 0 ? level(link) : 0;
        if (now > first.level) {
            first.level = now;
            std::ranges::push_heap(levels_, std::greater<>());
            continue;
        }
        if (link.waiting > 0) without -= fix(first.link, first.level);
        levels_.pop_back();
    }
}

/// \return how many flows stay there
std::size_t MaxMin::fix(std::uint32_t bottleneck, double level) {
    std::size_t fixed = 0;
    for (const Member& member : links_[bottleneck].members) {
        Flow& flow = flows_[member.flow];
        if (!flow.open || std::exchange(flow.fixed, true)) continue;
        ++fixed;
        flow.rate = level;
        flow.bottleneck = bottleneck;
        for (const Crossing& crossing : flow.route) {
            Link& link = links_[crossing.link];
            link.left -= crossing.part * level;
            link.parts -= crossing.part;
            --link.waiting;
        }
    }
    return fixed;
}

bool MaxMin::is_bottleneck(std::uint32_t link, double rate) const noexcept {
    return links_[link].full && rate >= links_[link].highest * slack_;
}

/// Opens the flows that filling has left without a bottleneck, and those that keep an open one from having any.
bool MaxMin::widen() {
    for (const std::uint32_t number : involved_) {
        Link& link = links_[number];
        link.highest = 0;
        double used = 0;
        for (const Member& member : link.members) {
            used += member.part * flows_[member.flow].rate;
            link.highest = std::max(link.highest, flows_[member.flow].rate);
        }
        link.full = used >= link.capacity * slack_;
    }
    const std::size_t opened = open_.size();
    for (std::size_t i = 0; i < opened; ++i) {
        const Flow& flow = flows_[open_[i]];
        if (flow.route.empty() || is_bottleneck(flow.bottleneck, flow.rate)) continue;
        for (const Member& member : links_[flow.bottleneck].members) {
            if (flows_[member.flow].rate > flow.rate) open(member.flow);
        }
    }
    for (const std::uint32_t link : involved_) {
        for (const Member& member : links_[link].members) {
            const Flow& flow = flows_[member.flow];
            if (!flow.open && flow.bottleneck == link && !is_bottleneck(link, flow.rate)) open(member.flow);
        }
    }
    return open_.size() > opened;
}

}  // namespace waywiser::simulate
