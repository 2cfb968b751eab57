#include "simulate/contention.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace waywiser::simulate {
namespace {

/// Delays below this share of the undelayed time are rounding errors.
constexpr double kLeastDelay = 1e-9;

Network network_of(const Interconnect& interconnect) {
    require(interconnect.topology != nullptr, "interconnect: expected a topology");
    return {*interconnect.topology, interconnect.speeds};
}

}  // namespace

Contention::Contention(const Interconnect& interconnect)
    : network_(network_of(interconnect)), flows_(network_, interconnect.tolerance, interconnect.seed) {}

void Contention::send(std::uint64_t name, std::uint32_t route, double start_ns, double bytes, double transfer_ns,
                      double until_sent_ns) {
    lookahead_ns_ = std::min(lookahead_ns_, until_sent_ns);
    flows_.start(name, route, start_ns, bytes, transfer_ns);
}

std::span<const Contention::Passage> Contention::next(double before_ns) {
    passages_.clear();
    for (auto ends = flows_.next(before_ns); !ends.empty(); ends = flows_.next(before_ns)) {
        if (passages_.empty()) before_ns = std::min(before_ns, ends.front().at_ns + lookahead_ns_);
        for (const FlowSimulator::End& end : ends) pass(end);
    }
    return passages_;
}

void Contention::pass(const FlowSimulator::End& end) {
    const double later_ns = end.at_ns - end.alone_ns;
    const double delay_ns = later_ns > kLeastDelay * end.alone_ns ? later_ns : 0;
    passages_.push_back({.name = end.flow, .latency_ns = end.latency_ns, .delay_ns = delay_ns});
    delays_ns_ += delay_ns;
    if (end.held_inside) inner_delays_ns_ += delay_ns;
}

}  // namespace waywiser::simulate
