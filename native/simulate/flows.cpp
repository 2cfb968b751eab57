#include "simulate/flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace waywiser::simulate {
namespace {

/// Times that differ by less count as equal: equal messages end together although their sums were rounded differently.
constexpr double kRelative = 1e-12;

}  // namespace

FlowSimulator::FlowSimulator(Network& network, double tolerance, std::uint64_t seed)
    : network_(&network),
      rates_(network.capacities(), tolerance),
      to_node_(network.topology().node_count()),
      now_ns_(std::numeric_limits<double>::lowest()) {
    require(tolerance >= 0 && tolerance < 1, "tolerance: expected a number from 0 to below 1");
    waiting_.expect(std::size_t{4} * to_node_.size());
    if (network.topology().is_adaptive()) routing_.emplace(network, seed);
}

void FlowSimulator::start(std::uint64_t name, std::uint32_t route, double start_ns, double bytes, double transfer_ns) {
    if (!std::isfinite(start_ns) || !(bytes >= 0) || !std::isfinite(bytes) || !(transfer_ns >= 0)) {
        throw InvalidInput("message " + std::to_string(name) +
                           ": expected a finite start_ns and a finite number of bytes, from 0 on");
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
        waiting_.add();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    waiting_[number] = {.name = name, .bytes = bytes, .transfer_ns = transfer_ns, .alone_ns = start_ns + transfer_ns};
    starts_.push({.at_ns = std::max(start_ns, now_ns_), .number = number, .route = route});
    // Ways are in the cache here, but not when messages begin in the order of time.
    if (!routing_) carry(route, bytes);
}

void FlowSimulator::carry(std::uint32_t route, double bytes) {
    if (route >= carried_.size()) carried_.resize(network_->routes());
    carried_[route] += bytes;
}

std::span<const FlowSimulator::End> FlowSimulator::next(double before_ns) {
    ended_.clear();
    while (ended_.empty() && advance(before_ns)) continue;
    return ended_;
}

/// Advances to the next time at which a flow starts or ends. False if there is none before `before_ns`.
bool FlowSimulator::advance(double before_ns) {
    Deadlines::Due due = dues_.next();
    const double next_ns = starts_.empty() ? due.at_ns : std::min(due.at_ns, starts_.top().at_ns);
    if (!(next_ns < before_ns)) return false;
    now_ns_ = next_ns;
    if (std::exchange(revision_, network_->revision()) != network_->revision()) extend_routes();
    const double until_ns = now_ns_ + kRelative * std::abs(now_ns_);
    for (; due.at_ns <= until_ns; due = dues_.next()) end(due.number);
    for (; !starts_.empty() && starts_.top().at_ns <= until_ns; pop_start()) begin(starts_.top());
    for (const MaxMin::Change& change : rates_.settle()) follow(change);
    return true;
}

/// Prefetches the data of later starts: first the route, then its links, then the flows on these.
void FlowSimulator::pop_start() {
    if (!starts_.pop()) return;
    for (const Start& start : starts_.of_span(4)) {
        network_->expect(start.route);
        __builtin_prefetch(&waiting_[start.number]);
    }
    for (const Start& start : starts_.of_span(3)) rates_.expect_links(network_->known_links(start.route));
    for (const Start& start : starts_.of_span(2)) rates_.expect_met(network_->known_links(start.route));
    for (const Start& start : starts_.of_span(1)) rates_.expect_links_of_met(network_->known_links(start.route));
}

/// Prefetches the data of an end: first the flow, then its links, then the flows on these.
void FlowSimulator::fetch_ahead() const {
    constexpr std::size_t kAhead = 6;
    if (const auto* due = dues_.after(4 * kAhead)) {
        __builtin_prefetch(&flows_[due->number]);
        rates_.expect(due->number);
    }
    if (const auto* due = dues_.after(3 * kAhead)) rates_.expect_links(due->number);
    if (const auto* due = dues_.after(2 * kAhead)) rates_.expect_met(due->number);
    if (const auto* due = dues_.after(kAhead)) rates_.expect_links_of_met(due->number);
}

/// Adds links that can be a bottleneck now, but could not when the flows started.
void FlowSimulator::extend_routes() {
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
        if (dues_.at_ns(flow) != kEver_ns) {
            rates_.extend(flow, network_->needed_links(flows_[flow].route));
            flows_[flow].needs_inner = network_->needs_inner(flows_[flow].route);
        }
    }
}

void FlowSimulator::begin(const Start& start) {
    const Waiting& message = waiting_[start.number];
    free_.push_back(start.number);
    auto links = network_->needed_links(start.route);
    if (message.bytes == 0 || links.empty()) {
        ended_.push_back({.flow = message.name,
                          .at_ns = start.at_ns,
                          .alone_ns = message.alone_ns,
                          .latency_ns = network_->latency_ns(start.route)});
        return;
    }
    std::uint32_t route = start.route;
    if (routing_) {
        route = routing_->start(start.route);
        links = network_->needed_links(route);
        carry(route, message.bytes);
    }
    const std::uint32_t flow = rates_.add(links, message.bytes / message.transfer_ns);
    if (flow >= flows_.size()) {
        flows_.resize(flow + 1UL);
        bytes_.resize(flow + 1UL);
    }
    const std::uint32_t target = network_->target(route);
    flows_[flow] = {.alone_ns = message.alone_ns,
                    .latency_ns = network_->latency_ns(route),
                    .name = message.name,
                    .route = route,
                    .target = target & 0x7FFFFFFFU,
                    .needs_inner = network_->needs_inner(route)};
    bytes_[flow] = message.bytes;
    most_to_a_node_ = std::max(most_to_a_node_, ++to_node_[target]);
}

void FlowSimulator::end(std::uint32_t number) {
    fetch_ahead();
    const Flow& flow = flows_[number];
    ended_.push_back({.flow = flow.name,
                      .at_ns = dues_.at_ns(number),
                      .alone_ns = flow.alone_ns,
                      .latency_ns = flow.latency_ns,
                      .held_inside = flow.needs_inner != 0 && is_held_inside(number)});
    --to_node_[flow.target];
    if (routing_) routing_->end(flow.route);
    dues_.set(number, kEver_ns);
    rates_.remove(number);
}

bool FlowSimulator::is_held_inside(std::uint32_t flow) const {
    const std::uint32_t link = rates_.bottleneck(flow);
    return link != MaxMin::kNone && network_->is_inner(link, flows_[flow].route);
}

/// Continues a flow at its new rate.
void FlowSimulator::follow(const MaxMin::Change& change) {
    const bool is_new = change.before == 0;
    const double bytes_left =
        is_new ? bytes_[change.flow] : change.before * std::max(0.0, dues_.at_ns(change.flow) - now_ns_);
    dues_.set(change.flow, now_ns_ + bytes_left / rates_.rate(change.flow));
}

std::vector<double> FlowSimulator::carried_bytes() const {
    std::vector<double> carried(network_->capacities().size());
    for (std::uint32_t route = 0; route < carried_.size(); ++route) {
        for (const machine::Share& share : network_->links(route)) carried[share.link] += share.part * carried_[route];
    }
    return carried;
}

std::vector<double> arrivals_ns(Network& network, std::span<const Transmission> messages, double tolerance,
                                std::uint64_t seed) {
    FlowSimulator simulator(network, tolerance, seed);
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        simulator.start(i, network.route(messages[i].from, messages[i].to), messages[i].start_ns, messages[i].bytes);
    }
    std::vector<double> arrivals(messages.size());
    for (auto ends = simulator.next(); !ends.empty(); ends = simulator.next()) {
        for (const FlowSimulator::End& end : ends) arrivals[end.flow] = end.at_ns + end.latency_ns;
    }
    return arrivals;
}

}  // namespace waywiser::simulate
