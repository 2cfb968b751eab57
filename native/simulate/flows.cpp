#include "simulate/flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace waywiser::simulate {
namespace {

/// Times that differ by less are the same: equal messages end together although their sums were rounded differently.
constexpr double kRelative = 1e-12;

}  // namespace

FlowSimulator::FlowSimulator(Network& network, double tolerance)
    : network_(&network),
      rates_(network.capacities(), tolerance),
      to_node_(network.topology().node_count()),
      now_ns_(std::numeric_limits<double>::lowest()) {
    require(tolerance >= 0 && tolerance < 1, "tolerance: expected a number from 0 to below 1");
    waiting_.expect(std::size_t{4} * network.topology().node_count());
}

void FlowSimulator::start(std::uint64_t name, std::uint32_t way, double start_ns, double bytes, double transfer_ns) {
    if (!std::isfinite(start_ns) || !(bytes >= 0) || !std::isfinite(bytes) || !(transfer_ns >= 0)) {
        throw InvalidInput("message " + std::to_string(name) +
                           ": expected a finite start_ns and a finite number of bytes, from 0 on");
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
        waiting_.add();
    }
    const std::uint32_t made = free_.back();
    free_.pop_back();
    waiting_[made] = {.bytes = bytes, .transfer_ns = transfer_ns, .alone_ns = start_ns + transfer_ns, .name = name};
    starts_.push({.at_ns = std::max(start_ns, now_ns_), .flow = made, .way = way});
}

std::optional<FlowSimulator::End> FlowSimulator::next(double before_ns) {
    while (told_ == ended_.size()) {
        if (!advance(before_ns)) return std::nullopt;
    }
    return ended_[told_++];
}

/// To the next time at which a flow starts or ends. False if there is none before that one.
bool FlowSimulator::advance(double before_ns) {
    ended_.clear();
    told_ = 0;
    const double next_ns = std::min(starts_.empty() ? kEver_ns : starts_.top().at_ns, next_due_ns());
    if (!(next_ns < before_ns)) return false;
    now_ns_ = next_ns;
    if (std::exchange(revision_, network_->revision()) != network_->revision()) extend_routes();
    const double until_ns = now_ns_ + kRelative * std::abs(now_ns_);
    while (next_due_ns() <= until_ns) {
        end(dues_.top().flow);
        pop_due();
    }
    for (; !starts_.empty() && starts_.top().at_ns <= until_ns; pop_start()) begin(starts_.top());
    for (const std::uint32_t flow : rates_.settle()) follow(flow);
    return true;
}

/// What a start touches is far away: first what is known of the flow, then the links.
void FlowSimulator::pop_start() {
    if (!starts_.pop()) return;
    for (const FlowEvent& start : starts_.after()) {
        __builtin_prefetch(&waiting_[start.flow]);
        network_->expect(start.way);
    }
    for (const FlowEvent& start : starts_.at_hand()) rates_.expect_links(network_->known_links(start.way));
}

/// Likewise.
void FlowSimulator::pop_due() {
    constexpr std::size_t kAhead = 3;
    const bool turned = dues_.pop();
    if (const FlowEvent* due = dues_.ahead(2 * kAhead)) rates_.expect_met(due->flow);
    if (const FlowEvent* due = dues_.ahead(kAhead)) rates_.expect_links_of_met(due->flow);
    if (!turned) return;
    for (const FlowEvent& due : dues_.after()) {
        __builtin_prefetch(&flows_[due.flow], 1);
        rates_.expect(due.flow);
    }
    for (const FlowEvent& due : dues_.at_hand()) rates_.expect_links(due.flow);
}

/// That of the flow on top of the queue, where those that are due later than they were are put in their places.
double FlowSimulator::next_due_ns() {
    while (!dues_.empty()) {
        const FlowEvent top = dues_.top();
        Flow& flow = flows_[top.flow];
        const bool valid = top.at_ns == flow.queued_ns;
        if (valid && flow.due_ns == top.at_ns) return top.at_ns;
        pop_due();
        if (valid) dues_.push({.at_ns = flow.queued_ns = flow.due_ns, .flow = top.flow});
    }
    return kEver_ns;
}

/// Links that can be a bottleneck now, and could not when the flows began.
void FlowSimulator::extend_routes() {
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
        if (flows_[flow].queued_ns != kEver_ns) rates_.extend(flow, network_->needed_links(flows_[flow].way));
    }
}

void FlowSimulator::begin(const FlowEvent& start) {
    const Waiting& waiting = waiting_[start.flow];
    free_.push_back(start.flow);
    const auto route = network_->needed_links(start.way);
    if (waiting.bytes == 0 || route.empty()) {
        ended_.push_back({.flow = waiting.name, .way = start.way, .at_ns = start.at_ns, .alone_ns = waiting.alone_ns});
        return;
    }
    const std::uint32_t flow = rates_.add(route, waiting.bytes / waiting.transfer_ns);
    if (flow >= flows_.size()) flows_.resize(flow + 1UL);
    flows_[flow] = {.bytes_left = waiting.bytes,
                    .since_ns = now_ns_,
                    .alone_ns = waiting.alone_ns,
                    .name = waiting.name,
                    .way = start.way,
                    .target = network_->target(start.way)};
    most_to_a_node_ = std::max(most_to_a_node_, ++to_node_[flows_[flow].target]);
}

void FlowSimulator::end(std::uint32_t number) {
    Flow& flow = flows_[number];
    ended_.push_back({.flow = flow.name,
                      .way = flow.way,
                      .held_by = rates_.bottleneck(number),
                      .at_ns = flow.due_ns,
                      .alone_ns = flow.alone_ns});
    --to_node_[flow.target];
    flow.queued_ns = kEver_ns;
    rates_.remove(number);
}

/// Goes on at the rate that a flow has now.
void FlowSimulator::follow(std::uint32_t number) {
    Flow& flow = flows_[number];
    flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * (now_ns_ - flow.since_ns));
    flow.rate = rates_.rate(number);
    flow.since_ns = now_ns_;
    flow.due_ns = now_ns_ + flow.bytes_left / flow.rate;
    if (flow.due_ns < flow.queued_ns) dues_.push({.at_ns = flow.queued_ns = flow.due_ns, .flow = number});
}

std::vector<double> arrivals_ns(Network& network, std::span<const Transmission> messages, double tolerance) {
    FlowSimulator simulator(network, tolerance);
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        simulator.start(i, network.way(messages[i].from, messages[i].to), messages[i].start_ns, messages[i].bytes);
    }
    std::vector<double> arrivals(messages.size());
    while (const auto end = simulator.next()) {
        arrivals[end->flow] = end->at_ns + network.latency_ns(end->way);
    }
    return arrivals;
}

}  // namespace waywiser::simulate
