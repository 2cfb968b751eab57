#include "explain/clock_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waywiser::explain {
namespace {

using trace::HostClock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Upper bound of the drift between clocks of computers [s per s].
constexpr double kMostDrift = 1e-3;

/// Bounds for a host to which messages went one way only [ns], and for a host to which none went.
constexpr double kLongest = 1e15;
constexpr double kUnreached = kInfinity;

/// A drift is accepted if it explains the bounds better than no drift by at least this factor.
constexpr double kBelieved = 2;

/// The maximum of a concave function, by golden sections.
template <class Function>
double maximum(double low, double high, Function&& value) {
    constexpr int kSteps = 80;
    const double ratio = (std::sqrt(5.0) - 1) / 2;
    for (int step = 0; step < kSteps; ++step) {
        const double left = high - ratio * (high - low);
        const double right = low + ratio * (high - low);
        (value(left) < value(right) ? low : high) = value(left) < value(right) ? left : right;
    }
    return (low + high) / 2;
}

}  // namespace

void ClockBounds::at_least(std::int64_t difference_ns, std::uint64_t at_ns) {
    const Bound bound{
        .known = true, .difference_ns = static_cast<double>(difference_ns), .at_ns = static_cast<double>(at_ns)};
    Bound& known = bin(least_, at_ns);
    if (!known.known || bound.difference_ns > known.difference_ns) known = bound;
}

void ClockBounds::at_most(std::int64_t difference_ns, std::uint64_t at_ns) {
    const Bound bound{
        .known = true, .difference_ns = static_cast<double>(difference_ns), .at_ns = static_cast<double>(at_ns)};
    Bound& known = bin(most_, at_ns);
    if (!known.known || bound.difference_ns < known.difference_ns) known = bound;
}

/// The line of this drift in the middle between the bounds.
ClockBounds::Line ClockBounds::line_of(double drift) const {
    double least = -kInfinity;
    double most = kInfinity;
    for (const Bound& bound : least_) {
        if (bound.known) least = std::max(least, bound.difference_ns - drift * bound.at_ns);
    }
    for (const Bound& bound : most_) {
        if (bound.known) most = std::min(most, bound.difference_ns - drift * bound.at_ns);
    }
    const bool closed = std::isfinite(least) && std::isfinite(most);
    // If one side is open, the offset is as close to the hosts' own clocks as the other side permits.
    const double offset = closed ? (least + most) / 2 : std::max(least, std::min(most, 0.0));
    return {.offset_ns = offset, .drift = drift, .margin_ns = (most - least) / 2};
}

ClockBounds::Line ClockBounds::line() const {
    const Line straight = line_of(0);
    if (!std::isfinite(straight.margin_ns)) return straight;
    const auto margin = [&](double drift) { return line_of(drift).margin_ns; };
    const Line best = line_of(maximum(-kMostDrift, kMostDrift, margin));
    const bool no_drift = straight.margin_ns >= 0 && best.margin_ns < kBelieved * straight.margin_ns;
    return no_drift ? straight : best;
}

ClockEstimate::ClockEstimate(const trace::TraceJob& job) : as_recorded_(job.hosts) {
    for (const trace::TraceRank& rank : job.ranks) end_ns_ = std::max(end_ns_, rank.end_ns);
}

void ClockEstimate::message(std::uint32_t from, std::uint64_t sent_ns, std::uint32_t to, std::uint64_t received_ns) {
    if (from == to) return;
    ClockBounds& bounds = pairs_.try_emplace(std::minmax(from, to), end_ns_).first->second;
    const auto difference = static_cast<std::int64_t>(received_ns - sent_ns);
    // received + clock(to) >= sent + clock(from)
    if (from < to) {
        bounds.at_least(-difference, sent_ns);
    } else {
        bounds.at_most(difference, received_ns);
    }
}

namespace {

/// The correction for the clock of `next`, from the correction of `known` and the line between the two clocks.
HostClock by(const HostClock& known, HostClock next, const ClockBounds::Line& line, double sign) {
    next.offset_ns = known.offset_ns + std::llround(sign * line.offset_ns);
    next.drift = known.drift + sign * line.drift;
    if (std::isinf(line.margin_ns)) {
        next.method = "wall clocks; messages went one way only";
        return next;
    }
    next.uncertainty_ns = known.uncertainty_ns + static_cast<std::uint64_t>(std::llround(std::abs(line.margin_ns)));
    next.method = line.margin_ns >= 0 ? "messages in both directions"
                                      : "messages in both directions, which no steady clock explains";
    return next;
}

/// A recorded clock with a further correction, which applies from time 0 on.
HostClock together(const HostClock& recorded, HostClock added) {
    added.reference_ns = recorded.reference_ns;
    added.offset_ns += recorded.offset_ns + std::llround(added.drift * static_cast<double>(recorded.reference_ns));
    added.drift += recorded.drift;
    return added;
}

/// The host among those not done whose clock is known best; the number of hosts if there is none.
std::size_t nearest(const std::vector<double>& uncertain, const std::vector<bool>& done) {
    std::size_t closest = uncertain.size();
    for (std::size_t host = 0; host < uncertain.size(); ++host) {
        if (done[host] || uncertain[host] == kUnreached) continue;
        if (closest == uncertain.size() || uncertain[host] < uncertain[closest]) closest = host;
    }
    return closest;
}

}  // namespace

std::vector<HostClock> ClockEstimate::clocks() const {
    std::vector<HostClock> added;
    added.reserve(as_recorded_.size());
    for (const HostClock& clock : as_recorded_) added.push_back({.host = clock.host, .method = clock.method});
    std::vector<HostClock> clocks = as_recorded_;
    std::vector<double> uncertain(clocks.size(), kUnreached);
    std::vector<bool> done(clocks.size(), false);
    if (!clocks.empty()) uncertain[0] = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, ClockBounds::Line> lines;
    for (const auto& [hosts, bounds] : pairs_) lines[hosts] = bounds.line();
    // Each host is reached by the path with the least uncertainty (Dijkstra, Numerische Mathematik 1, 1959).
    for (std::size_t host = nearest(uncertain, done); host < clocks.size(); host = nearest(uncertain, done)) {
        done[host] = true;
        for (const auto& [hosts, line] : lines) {
            if (hosts.first != host && hosts.second != host) continue;
            const bool forward = hosts.first == host;
            const std::size_t neighbour = forward ? hosts.second : hosts.first;
            const double sum = uncertain[host] + std::min(std::abs(line.margin_ns), kLongest);
            if (done[neighbour] || sum >= uncertain[neighbour]) continue;
            uncertain[neighbour] = sum;
            added[neighbour] = by(added[host], added[neighbour], line, forward ? 1 : -1);
            clocks[neighbour] = together(as_recorded_[neighbour], added[neighbour]);
        }
    }
    return clocks;
}

}  // namespace waywiser::explain
