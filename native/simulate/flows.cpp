#include "simulate/flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace waywiser::simulate {
namespace {

/// Times that differ by less are the same: equal messages end together although their sums were rounded differently.
constexpr double kRelative = 1e-12;

}  // namespace

FlowSimulator::FlowSimulator(Network& network, double tolerance)
    : network_(&network), rates_(network.capacities(), tolerance), now_ns_(std::numeric_limits<double>::lowest()) {
    require(tolerance >= 0 && tolerance < 1, "tolerance: expected a number from 0 to below 1");
}

void FlowSimulator::start(std::uint32_t name, std::uint32_t way, double start_ns, double bytes) {
    if (!std::isfinite(start_ns) || !(bytes >= 0) || !std::isfinite(bytes)) {
        throw InvalidInput("message " + std::to_string(name) +
                           ": expected a finite start_ns and a finite number of bytes, from 0 on");
    }
    starts_.push({.at_ns = std::max(start_ns, now_ns_), .bytes = bytes, .way = way, .name = name, .order = asked_++});
}

std::optional<FlowSimulator::End> FlowSimulator::next() {
    while (told_ == ended_.size()) {
        if (!advance()) return std::nullopt;
    }
    return ended_[told_++];
}

/// To the next time at which a flow starts or ends. False if there is none.
bool FlowSimulator::advance() {
    ended_.clear();
    told_ = 0;
    while (!ends_.empty() && ends_.top().version != flows_[ends_.top().flow].version) ends_.pop();
    if (starts_.empty() && ends_.empty()) return false;
    const double none = std::numeric_limits<double>::infinity();
    now_ns_ = std::min(starts_.empty() ? none : starts_.top().at_ns, ends_.empty() ? none : ends_.top().at_ns);
    const double until_ns = now_ns_ + kRelative * std::abs(now_ns_);
    for (; !ends_.empty() && ends_.top().at_ns <= until_ns; ends_.pop()) end(ends_.top());
    for (; !starts_.empty() && starts_.top().at_ns <= until_ns; starts_.pop()) begin(starts_.top());
    for (const std::uint32_t flow : rates_.settle()) follow(flow);
    return true;
}

void FlowSimulator::begin(const Start& start) {
    if (start.bytes == 0 || network_->links(start.way).empty()) {
        ended_.push_back({.flow = start.name, .at_ns = start.at_ns});
        return;
    }
    const std::uint32_t flow = rates_.add(network_->links(start.way));
    if (flow >= flows_.size()) flows_.resize(flow + 1UL);
    flows_[flow] = {
        .bytes_left = start.bytes, .since_ns = now_ns_, .name = start.name, .version = flows_[flow].version + 1};
}

void FlowSimulator::end(const Due& due) {
    if (due.version != flows_[due.flow].version) return;
    ended_.push_back({.flow = flows_[due.flow].name, .at_ns = due.at_ns});
    ++flows_[due.flow].version;
    rates_.remove(due.flow);
}

/// Goes on at the rate that a flow has now.
void FlowSimulator::follow(std::uint32_t number) {
    Flow& flow = flows_[number];
    flow.bytes_left = std::max(0.0, flow.bytes_left - flow.rate * (now_ns_ - flow.since_ns));
    flow.rate = rates_.rate(number);
    flow.since_ns = now_ns_;
    ends_.push({.at_ns = now_ns_ + flow.bytes_left / flow.rate, .flow = number, .version = ++flow.version});
}

std::vector<double> arrivals_ns(Network& network, std::span<const Transmission> messages, double tolerance) {
    FlowSimulator simulator(network, tolerance);
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        simulator.start(i, network.way(messages[i].from, messages[i].to), messages[i].start_ns, messages[i].bytes);
    }
    std::vector<double> arrivals(messages.size());
    while (const auto end = simulator.next()) {
        const Transmission& message = messages[end->flow];
        arrivals[end->flow] = end->at_ns + network.latency_ns(network.way(message.from, message.to));
    }
    return arrivals;
}

}  // namespace waywiser::simulate
