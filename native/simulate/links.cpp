/// Messages that share the links between nodes.
#include <algorithm>
#include <utility>

#include "simulate/point_to_point.hpp"

namespace waywiser::simulate {
namespace {

/// Splits the name of a message, which consists of its channel and its number in the channel.
std::uint32_t channel_of(const Contention::Passage& passage) { return static_cast<std::uint32_t>(passage.name >> 32U); }

}  // namespace

/// The way that the channel's messages take over shared links; kNothing if there are none.
std::uint32_t PointToPoint::route_of(std::uint32_t channel) {
    constexpr std::uint32_t kUnknown = kNothing - 1;
    if (channel >= routes_.size()) routes_.resize(channels_.size(), kUnknown);
    std::uint32_t& route = routes_[channel];
    if (route == kUnknown) {
        const ChannelKey& ends = channels_.key(channel);
        const std::int64_t from = ranks_[ends.source].node;
        const std::int64_t to = ranks_[ends.destination].node;
        route = from == to ? kNothing
                           : contention_->route(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    }
    return route;
}

/// Sends a message over the links. Its arrival is known once it has crossed them. The sender of a rendezvous continues
/// at that time, and ranks whose handshakes proceed within calls only may do so in the past.
bool PointToPoint::cross(std::uint32_t channel, std::uint32_t number, double start_ns, std::uint64_t bytes,
                         const Charge& costs) {
    const std::uint32_t route = route_of(channel);
    if (route == kNothing) return false;
    const bool ahead = costs.eager && !in_calls_;
    contention_->send(std::uint64_t{channel} << 32U | number, route, start_ns, static_cast<double>(bytes),
                      costs.transfer_ns, ahead ? std::max(0.0, costs.latency_ns - costs.overlap_ns) : 0);
    return true;
}

/// Called when all ranks have run as far as they can. Lets messages arrive, unless a handshake proceeds earlier in a
/// rank's current call, which only an arrival can end. A rank that a message wakes cannot send before the latency has
/// passed, so all messages that complete by then arrive together (lookahead: R. M. Fujimoto, "Parallel discrete event
/// simulation", Communications of the ACM 33(10), 1990).
/// \return false if nothing on the links happens before then
bool PointToPoint::go_on(double before_ns) {
    constexpr std::size_t kAhead = 12;  // number of messages whose data are prefetched
    if (!contention_) return false;
    const auto ready_ns = [&](std::uint32_t number) { return handshakes_[number].ready.ns(); };
    const std::vector<std::uint32_t> handshakes = going_on();
    const auto first = std::ranges::min_element(handshakes, {}, ready_ns);
    const double handshake_ns = first == handshakes.end() ? FlowSimulator::kEver_ns : ready_ns(*first);
    double until_ns = std::min(before_ns, handshake_ns);
    bool landed = false;
    for (auto passages = contention_->next(until_ns); !passages.empty(); passages = contention_->next(until_ns)) {
        landed = true;
        for (; !passages.empty(); passages = passages.subspan(1)) {
            if (passages.size() > kAhead) channels_.expect(channel_of(passages[kAhead]));
            until_ns = std::min(until_ns, arrive(passages.front()));
        }
    }
    if (landed || first == handshakes.end() || before_ns < handshake_ns) return landed;
    proceed(*first, true);
    return true;
}

/// \return the earliest time at which an actor that this wakes may send
double PointToPoint::arrive(const Contention::Passage& passage) {
    Channel& channel = channels_[channel_of(passage)];
    Message& message = channel.message(static_cast<std::uint32_t>(passage.name));
    message.available.add_latency(passage.latency_ns);
    message.available.add_transfer(passage.delay_ns);
    message.flight_ns += static_cast<float>(passage.latency_ns + passage.delay_ns);
    const std::uint32_t crossed = std::exchange(message.handshake, kNothing);
    double soonest_ns = FlowSimulator::kEver_ns;
    if (crossed == Message::kFlies) {
        const bool woken = schedule_.wake(channel.waiter);
        if (schedule_.release_displaced() || woken) soonest_ns = message.available.ns();
    } else {
        Handshake& handshake = handshakes_[crossed];
        handshake.stage = Handshake::Stage::over;
        handshake.left.add_transfer(passage.delay_ns);
        if (schedule_.wake(handshake.receiver)) soonest_ns = message.available.ns();
        if (schedule_.wake(handshake.sender)) soonest_ns = std::min(soonest_ns, handshake.left.ns());
    }
    // If progress is within calls only, a handshake may proceed from the start of a call.
    return !in_calls_ || schedule_.idle() ? soonest_ns : -FlowSimulator::kEver_ns;
}

LinkUse PointToPoint::link_use(double makespan_ns) const {
    LinkUse use;
    if (!contention_) return use;
    use.bytes = contention_->carried_bytes();
    use.delays_ns = contention_->delays_ns();
    use.inner_delays_ns = contention_->inner_delays_ns();
    use.most_to_a_node = contention_->most_to_a_node();
    const std::vector<double>& capacities = contention_->network().capacities();
    for (std::size_t link = 0; link < capacities.size(); ++link) {
        use.utilisation.push_back(makespan_ns > 0 ? use.bytes[link] / (capacities[link] * makespan_ns) : 0);
    }
    return use;
}

}  // namespace waywiser::simulate
