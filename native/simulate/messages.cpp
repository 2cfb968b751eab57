/// The costs of messages, and their arrival times.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "simulate/point_to_point.hpp"

namespace waywiser::simulate {

PointToPoint::PointToPoint(Common& common, Part part, std::size_t parts, Actors& actors, Schedule& schedule,
                           Remarks& remarks)
    : common_(common),
      settings_(common.settings),
      ranks_(common.ranks),
      actors_(actors),
      schedule_(schedule),
      remarks_(remarks),
      part_(part.number),
      in_calls_(common.in_calls),
      mail_(part.number, parts),
      incoming_(parts),
      nics_(common.nodes) {
    if (!settings_.interconnect) return;
    contention_ = std::make_unique<Contention>(*settings_.interconnect);
    const std::int64_t nodes = contention_->network().topology().node_count();
    for (std::uint32_t rank = part.first; rank < part.end; ++rank) {
        const std::int64_t node = ranks_[rank].node;
        if (node >= 0 && node < nodes) continue;
        throw InvalidInput("interconnect: its nodes are 0 to " + std::to_string(nodes - 1) + ", but rank " +
                           std::to_string(common.job.ranks[rank].rank) + " is on node " + std::to_string(node));
    }
}

std::optional<std::uint32_t> PointToPoint::peer_of(const Actor& actor, std::int32_t object, std::int32_t peer) {
    if (peer < 0) return std::nullopt;
    const JobObject* over = common_.job_object(actor, object);
    const std::int32_t index = over == nullptr ? Group::kUnknown : over->members.index(peer);
    if (index == Group::kUnknown) {
        ++remarks_["messages to or from ranks that the trace does not have are left out"];
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(index);
}

/// Transmits like `transmit`, over the NICs that the ranks of a node share.
/// \param to  kNothing: the switches
Timestamp PointToPoint::transmit_shared(const Timestamp& ready, const Charge& charge, std::uint32_t from,
                                        std::uint32_t to) {
    const double length_ns = charge.gap_ns + charge.transfer_ns;
    const double leaves_ns = nics_[ranks_[from].nic_number].out.take(ready.ns(), length_ns);
    double comes_ns = leaves_ns + charge.latency_ns;
    if (to != kNothing) comes_ns = come_in(to, comes_ns, length_ns);
    const double queued_ns = comes_ns - ready.ns() - charge.latency_ns;
    return after_latency(after_transfer(ready, queued_ns + charge.transfer_ns), charge.latency_ns);
}

Timestamp PointToPoint::inject(Actor& actor, const Charge& costs, std::uint32_t to, std::uint64_t bytes) {
    count(bytes);
    const Timestamp ready = after_overhead(actor.now, costs.overhead_ns);
    const Timestamp there = shares_nic(actor.rank, to) ? transmit_shared(ready, costs, actor.rank, to)
                                                       : transmit(nic_of(actor), ready, costs);
    actor.busy(costs.busy_ns);
    return copied(there, actor.now, costs);
}

Need PointToPoint::send(Actor& actor, std::uint32_t number, const Charge& costs, std::uint64_t bytes) {
    if (!costs.eager) return request(actor, number, costs, bytes);
    const double begin_ns = actor.now.ns();
    const double leaves_ns = std::max(begin_ns + costs.overhead_ns, nic_of(actor).ns());
    const Timestamp available = inject(actor, costs, settings_.share_nic ? key(number).destination : 0, bytes);
    if ((number & kAway) == 0) {
        put_eager(number, begin_ns, leaves_ns, available, costs, bytes);
    } else {
        mail_.send(number, {.available = available,
                            .busy_ns = costs.busy_ns,
                            .flight_ns = static_cast<float>(available.ns() - begin_ns)});
    }
    return {};
}

Need PointToPoint::send(Actor& actor, const Description& described) {
    const auto to = peer_of(actor, described.object, described.peer);
    if (!to) return {};
    const std::uint32_t context = common_.job_object(actor, described.object)->context;
    const Charge costs = charge(actor.rank, *to, described.bytes, common_.functions[described.function].protocol());
    return send_joined(actor, channel({context, described.tag, actor.rank, *to}), costs, described.bytes);
}

Need PointToPoint::receive(Actor& actor, std::int32_t object, mpi::Selector selector, const Timestamp& posted) {
    const auto from = peer_of(actor, object, selector.source);
    if (!from) return {};
    const std::uint32_t context = common_.job_object(actor, object)->context;
    return receive(actor, channel({context, selector.tag, *from, actor.rank}), posted);
}

void PointToPoint::withdraw(Need& receive) {
    if (receive.kind() != Need::Kind::message) return;
    Channel& taken = channels_[receive.index()];
    if (receive.number() >= taken.sent && receive.number() + 1 == taken.claimed) taken.withdraw(receive.number());
    receive = {};
}

/// A message that directly follows another one to the same rank adds its bytes to it, as long as both together are
/// eager.
Charge PointToPoint::joined(const Actor& actor, std::uint32_t to, const Charge& costs, std::uint64_t bytes) {
    std::uint64_t& before = bursts_[actor.number][to];
    const bool first = before == 0 || before + bytes > costs_between(actor.rank, to).eager_limit_bytes;
    before = std::max<std::uint64_t>(bytes, 1) + (first ? 0 : before);
    if (first) return costs;
    --messages_;
    Charge added = costs;
    added.busy_ns -= added.overhead_ns;
    added.overhead_ns = 0;
    added.gap_ns = 0;
    return added;
}

std::uint32_t* PointToPoint::what_wakes(const Need& need) {
    if (need.kind() == Need::Kind::sent) {
        Handshake& handshake = handshakes_[need.index()];
        return handshake.stage == Handshake::Stage::over ? nullptr : &handshake.sender;
    }
    Channel& channel = channels_[need.index()];
    if (need.number() >= channel.sent) return &channel.waiter;
    const std::uint32_t handshake = channel.message(need.number()).handshake;
    if (handshake == Message::kFlies) return &channel.waiter;
    return handshake == kNothing ? nullptr : &handshakes_[handshake].receiver;
}

void PointToPoint::end_send(Actor& actor, const Need& need) {
    const Handshake& handshake = handshakes_[need.index()];
    actor.wait_until(handshake.left, handshake.posted_ns);
    handshakes_.release(need.index());
    count_open(actor, -1);
}

const ChannelKey& PointToPoint::key(const Need& need) const {
    return key(need.kind() == Need::Kind::message ? need.index() : handshakes_[need.index()].channel);
}

std::optional<std::uint32_t> PointToPoint::partner_of(const Need& need) const {
    if (need.kind() == Need::Kind::sent) return key(need).destination;
    return need.number() < channels_[need.index()].sent ? std::nullopt : std::optional(key(need).source);
}

/// The first channel with messages that are never received.
std::optional<Unmatched> PointToPoint::unmatched() const {
    std::optional<Unmatched> first;
    for (std::uint32_t number = 0; number < channels_.size(); ++number) {
        const Channel& channel = channels_[number];
        if (channel.sent <= channel.claimed || (first && !(channels_.key(number) < first->channel))) continue;
        first = {.channel = channels_.key(number), .messages = channel.sent - channel.claimed};
    }
    return first;
}

}  // namespace waywiser::simulate
