/// What messages cost, and when they arrive.
#include <algorithm>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

Charge Replayer::charge(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, machine::Protocol protocol) const {
    const Messages& costs = ranks_[from].node == ranks_[to].node ? settings_.within : settings_.between;
    return costs.charge(bytes, protocol);
}

/// Transmits like `transmit`, over the NICs that the ranks of a node share.
/// \param to  kNothing: the switches
Moment Replayer::transmit_shared(const Moment& ready, const Charge& charge, std::uint32_t from, std::uint32_t to) {
    const double length_ns = charge.gap_ns + charge.transfer_ns;
    const double leaves_ns = nics_[ranks_[from].nic_number].out.take(ready.ns(), length_ns);
    double comes_ns = leaves_ns + charge.latency_ns;
    if (to != kNothing) comes_ns = nics_[ranks_[to].nic_number].in.take(comes_ns, length_ns);
    const double queued_ns = comes_ns - ready.ns() - charge.latency_ns;
    return after_latency(after_transfer(ready, queued_ns + charge.transfer_ns), charge.latency_ns);
}

/// \return when the message's receiver can take it
Moment Replayer::send_eager(Actor& actor, const Charge& charge, std::uint32_t to) {
    const Moment ready = after_overhead(actor.now, charge.overhead_ns);
    const Moment there = shares_nic(actor.rank, to) ? transmit_shared(ready, charge, actor.rank, to)
                                                    : transmit(nic_of(actor), ready, charge);
    busy(actor, charge.busy_ns);
    return copied(there, actor.now, charge);
}

Need Replayer::send(Actor& actor, std::uint32_t number, const Charge& costs, std::uint64_t bytes) {
    ++messages_;
    bytes_ += bytes;
    if (!costs.eager) return request(actor, number, costs, bytes);
    const double begin_ns = actor.now.ns();
    const double leaves_ns = std::max(begin_ns + costs.overhead_ns, nic_of(actor).ns());
    const Moment available = send_eager(actor, costs, to_of(number));
    const auto flight_ns = static_cast<float>(available.ns() - begin_ns);
    if ((number & kAway) != 0) {
        mail_.send(number, {.available = available, .busy_ns = costs.busy_ns, .flight_ns = flight_ns});
        return {};
    }
    Channel& channel = channels_[number];
    const bool flies = take_off(number, channel.sent, leaves_ns, bytes, costs);
    put(channel, {.available = available,
                  .busy_ns = costs.busy_ns,
                  .flight_ns = flight_ns,
                  .handshake = flies ? Message::kFlies : kNothing});
    return {};
}

Need Replayer::claim(Actor& actor, std::uint32_t number, const Moment& posted) {
    count_open(actor, 1);
    return {Need::Kind::message, number, claim(actor.number, channels_[number], posted)};
}

void Replayer::claim_long(std::uint32_t handshake, std::uint32_t actor, const Moment& posted) {
    if (handshake != Message::kFlies && handshakes_[handshake].stage != Handshake::Stage::flies) {
        settle(handshake, actor, posted);
    }
}

/// A message of which only the time varies from call to call. \return what it needs to end
Need Replayer::post_planned(Actor& actor, const Plan& plan, std::uint32_t symbol) {
    Link& link = actor.links[symbol];
    if (!link.known) link = find_link(actor, plan);
    if (link.channel == kNothing) return {};
    if (plan.kind == Plan::Kind::receive) return claim(actor, link.channel, actor.now);
    const Charge& costs = link.within ? plan.within : plan.between;
    return send(actor, link.channel,
                settings_.join_messages ? joined(actor, ends_of(link.channel).destination, costs, plan.bytes) : costs,
                plan.bytes);
}

/// A message that follows another one to the same rank adds its bytes to it, as long as both are eager as one.
Charge Replayer::joined(const Actor& actor, std::uint32_t to, const Charge& costs, std::uint64_t bytes) {
    if (!settings_.join_messages || !costs.eager) return costs;
    std::uint64_t& before = bursts_[actor.number].bytes[to];
    const Messages& between = ranks_[actor.rank].node == ranks_[to].node ? settings_.within : settings_.between;
    const bool first = before == 0 || before + bytes > between.eager_limit_bytes;
    before = std::max<std::uint64_t>(bytes, 1) + (first ? 0 : before);
    if (first) return costs;
    --messages_;
    Charge added = costs;
    added.busy_ns -= added.overhead_ns;
    added.overhead_ns = 0;
    added.gap_ns = 0;
    return added;
}

/// The next message is not joined to any before it.
void Replayer::end_burst(const Actor& actor) {
    if (actor.number < bursts_.size()) bursts_[actor.number].bytes.clear();
}

/// Calls that post a receive, or send an eager message, and are over at once: as `post_planned`, without asking for
/// each call what is the same for all.
void Replayer::post_in_a_row(Actor& actor) {
    if (!in_rows_) return;
    const trace::BlockOfCalls::Call* const calls = actor.block.calls.data();
    const trace::BlockOfCalls::Call* const end = calls + actor.block.calls.size();
    const trace::BlockOfCalls::Call* next = calls + actor.position;
    RankState& rank = ranks_[actor.rank];
    Moment now = actor.now;
    double compute_ns = actor.compute_ns;
    double overhead_ns = actor.overhead_ns;
    for (; next != end && !next->is_full(); ++next) {
        const std::uint32_t symbol = next->what >> 1U;
        const Link link = actor.links[symbol];
        if (link.in_row == Link::InRow::nothing) break;
        const Plan& plan = actor.list->plans[symbol];
        const double ns = next->gap_ns * actor.scale;
        now.add(ns);
        compute_ns += ns;
        Need& request = rank.requests[plan.request];
        forget(request);
        Channel& channel = channels_[link.channel];
        CallSums& sums = actor.sums[plan.slot];
        ++sums.calls;
        if (link.in_row == Link::InRow::receive) {
            request = claim(actor, link.channel, now);
            if (in_calls_) remember_call(actor, now, now.ns());
            continue;
        }
        const Charge& costs = link.within ? plan.within : plan.between;
        const Moment begin = now;
        const double begin_ns = begin.ns();
        const double leaves_ns = std::max(begin_ns + costs.overhead_ns, rank.nic.ns());
        const Moment there = transmit(rank.nic, after_overhead(now, costs.overhead_ns), costs);
        now.add_overhead(costs.busy_ns);
        overhead_ns += costs.busy_ns;
        sums.ns += now.ns() - begin_ns;
        const Moment available = copied(there, now, costs);
        const bool flies = take_off(link.channel, channel.sent, leaves_ns, plan.bytes, costs);
        put(channel, {.available = available,
                      .busy_ns = costs.busy_ns,
                      .flight_ns = static_cast<float>(available.ns() - begin_ns),
                      .handshake = flies ? Message::kFlies : kNothing});
        ++messages_;
        bytes_ += plan.bytes;
        if (in_calls_) remember_call(actor, begin, now.ns());
    }
    actor.position = static_cast<std::uint32_t>(next - calls);
    actor.now = now;
    actor.compute_ns = compute_ns;
    actor.overhead_ns = overhead_ns;
}

}  // namespace waywiser::simulate
