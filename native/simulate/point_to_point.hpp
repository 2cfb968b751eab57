/// Messages between two ranks: eager ones, and long ones, whose handshakes proceed at once, or only while the rank that
/// must act next is within an MPI call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/pool.hpp"
#include "simulate/common.hpp"
#include "simulate/exchange.hpp"
#include "simulate/nics.hpp"
#include "simulate/schedule.hpp"

namespace waywiser::simulate {

/// Ranks that one thread evaluates, by index.
struct Part {
    std::uint32_t number = 0;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};

/// Messages of a channel that no call receives.
struct Unmatched {
    ChannelKey channel;
    std::uint32_t messages = 0;
};

class PointToPoint {
public:
    /// All arguments except the part must outlive the object.
    ///
    /// \throws InvalidInput  a rank is on a node that the interconnect does not have
    PointToPoint(Common& common, Part part, std::size_t parts, Actors& actors, Schedule& schedule, Remarks& remarks);

    // Channels.
    void expect_channels(std::size_t number, std::size_t ranks) { channels_.expect_number(number, ranks); }
    /// \return the channel's number, with kAway if it leads to another part
    [[nodiscard]] std::uint32_t channel(const ChannelKey& key) {
        const std::uint32_t part = common_.part_of_rank[key.destination];
        return part == part_ ? channels_.number(key) : mail_.channel(key, part);
    }
    [[nodiscard]] const ChannelKey& key(std::uint32_t channel) const {
        return (channel & kAway) != 0 ? mail_.key(channel) : channels_.key(channel);
    }
    /// Prefetches a channel whose next message is sent or received soon.
    [[gnu::always_inline]] void expect(std::uint32_t channel) const {
        if ((channel & kAway) == 0) channels_.expect(channel);
    }
    /// \return nothing if there is none, or its calls are not in the trace
    [[nodiscard]] std::optional<std::uint32_t> peer_of(const Actor& actor, std::int32_t object, std::int32_t peer);

    // Sending.
    [[nodiscard]] Charge charge(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                                machine::Protocol protocol) const {
        return costs_between(from, to).charge(bytes, protocol);
    }
    /// \return the need to meet before the send ends
    Need send(Actor& actor, std::uint32_t channel, const Charge& costs, std::uint64_t bytes);
    Need send(Actor& actor, const Description& described);
    /// Sends an eager message to a rank of the part, where each rank has a NIC of its own.
    /// \param now, nic  state of the sender
    void send_eager(Timestamp& now, Timestamp& nic, std::uint32_t channel, const Charge& costs, std::uint64_t bytes) {
        const double begin_ns = now.ns();
        const double leaves_ns = std::max(begin_ns + costs.overhead_ns, nic.ns());
        const Timestamp there = transmit(nic, after_overhead(now, costs.overhead_ns), costs);
        now.add_overhead(costs.busy_ns);
        count(bytes);
        put_eager(channel, begin_ns, leaves_ns, copied(there, now, costs), costs, bytes);
    }
    /// Sends eager bytes. \param to  kNothing: the switches
    /// \return time at which they can be received
    [[nodiscard]] Timestamp inject(Actor& actor, const Charge& costs, std::uint32_t to, std::uint64_t bytes);
    /// Sends a message of the program's own, which may be joined to the preceding one.
    Need send_joined(Actor& actor, std::uint32_t channel, const Charge& costs, std::uint64_t bytes) {
        if (!settings_.join_messages || !costs.eager) return send(actor, channel, costs, bytes);
        return send(actor, channel, joined(actor, key(channel).destination, costs, bytes), bytes);
    }
    /// Ends a burst: the next message is not joined to an earlier one.
    void end_burst(const Actor& actor) { bursts_.erase(actor.number); }

    // Receiving.
    /// Posts a receive, which takes the next message of the channel.
    Need receive(Actor& actor, std::uint32_t channel, const Timestamp& posted) {
        count_open(actor, 1);
        return {Need::Kind::message, channel, claim(actor.number, channels_[channel], posted)};
    }
    Need receive(Actor& actor, std::int32_t object, mpi::Selector selector, const Timestamp& posted);
    /// Takes the message if it has arrived.
    [[nodiscard]] bool take(Actor& actor, const Need& need) {
        Channel& channel = channels_[need.index()];
        if (need.number() >= channel.sent) return false;
        const Message& message = channel.message(need.number());
        if (message.handshake != kNothing) return false;
        actor.wait_until(message.available, message.available.ns() - static_cast<double>(message.flight_ns));
        actor.busy(message.busy_ns);
        count_open(actor, -1);
        channel.take(need.number());
        return true;
    }
    /// Ends a send after the data of a long message have left.
    void end_send(Actor& actor, const Need& need);
    /// Withdraws a receive that has met no message, so that later ones move up; a send stays.
    void withdraw(Need& receive);
    /// Time at which bytes arrive through the NIC that the ranks of a node share.
    [[nodiscard]] double come_in(std::uint32_t rank, double first_byte_ns, double length_ns) {
        return nics_[ranks_[rank].nic_number].in.take(first_byte_ns, length_ns);
    }

    // Needs.
    /// The waiter field that must hold the actor to wake it; null if the need can be met.
    [[nodiscard]] std::uint32_t* what_wakes(const Need& need);
    [[nodiscard]] const ChannelKey& key(const Need& need) const;
    [[nodiscard]] std::optional<std::uint32_t> partner_of(const Need& need) const;

    // Progress (progress.cpp).
    /// Proceeds with the handshakes that wait for a call of the actor, which is parked in a call or has left it.
    void proceed_in_call(const Actor& actor);
    /// Ends the actor's call, whose work is complete.
    void end_call(Actor& actor, const Timestamp& begin, double end_ns) {
        if (in_calls_) remember_call(actor, {.begin = begin, .end_ns = end_ns});
    }
    /// True if handshakes proceed only once the first of them is known.
    [[nodiscard]] bool waits_for_calls() const { return !contention_ && waiting_handshakes_ > 0; }
    [[nodiscard]] double quiet_until_ns() const;
    bool proceed_until(double quiet_ns);

    // Links between nodes (links.cpp).
    [[nodiscard]] bool go_on(double before_ns);
    [[nodiscard]] LinkUse link_use(double makespan_ns) const;

    // Other parts of the ranks.
    void hand_over(Exchange& exchange) { mail_.hand_over(exchange); }
    void take_in(const Letters& letters);

    [[nodiscard]] std::optional<Unmatched> unmatched() const;
    void add_to(Prediction& prediction) const {
        prediction.messages += messages_;
        prediction.bytes += bytes_;
    }

private:
    [[nodiscard]] Charge joined(const Actor& actor, std::uint32_t to, const Charge& costs, std::uint64_t bytes);
    void count(std::uint64_t bytes) {
        ++messages_;
        bytes_ += bytes;
    }
    void count_open(Actor& actor, int more) const {
        if (in_calls_) actor.open += more;
    }
    [[nodiscard]] const Messages& costs_between(std::uint32_t from, std::uint32_t to) const {
        return ranks_[from].node == ranks_[to].node ? settings_.within : settings_.between;
    }
    [[nodiscard]] bool shares_nic(std::uint32_t from, std::uint32_t to) const {
        return settings_.share_nic && (to == kNothing || ranks_[from].node != ranks_[to].node);
    }
    Timestamp& nic_of(Actor& actor) { return actor.is_agent ? actor.own_nic : ranks_[actor.rank].nic; }
    /// Sends a message's bytes from `ready` on, if the NIC is not shared.
    /// \return arrival of the last byte
    [[nodiscard]] static Timestamp transmit(Timestamp& nic, const Timestamp& ready, const Charge& charge) {
        const Timestamp leaves = later(ready, nic);
        nic = after_transfer(leaves, charge.gap_ns + charge.transfer_ns);
        return after_latency(after_transfer(leaves, charge.transfer_ns), charge.latency_ns);
    }
    [[nodiscard]] Timestamp transmit_shared(const Timestamp& ready, const Charge& charge, std::uint32_t from,
                                            std::uint32_t to);
    /// The time at which the receiver can take a message: the last byte does not leave before the processor has copied
    /// it. A receiver does part of its work while the bytes arrive.
    [[nodiscard]] static Timestamp copied(const Timestamp& there, const Timestamp& now, const Charge& charge) {
        return after_transfer(later(there, after_latency(now, charge.latency_ns)), -charge.overlap_ns);
    }
    void put(Channel& channel, const Message& message) {
        channel.next(channel.sent) = message;
        if (message.handshake != Message::kFlies) schedule_.wake(channel.waiter);
    }
    void put_eager(std::uint32_t number, double begin_ns, double leaves_ns, const Timestamp& available,
                   const Charge& costs, std::uint64_t bytes) {
        Channel& channel = channels_[number];
        const bool flies = contention_ && cross(number, channel.sent, leaves_ns, bytes, costs);
        put(channel, {.available = available,
                      .busy_ns = costs.busy_ns,
                      .flight_ns = static_cast<float>(available.ns() - begin_ns),
                      .handshake = flies ? Message::kFlies : kNothing});
    }
    /// \return the number of the message
    std::uint32_t claim(std::uint32_t actor, Channel& channel, const Timestamp& posted) {
        const std::uint32_t claimed = channel.claimed;
        Message& message = channel.next(channel.claimed);
        if (claimed >= channel.sent) {
            message.available = posted;
            message.handshake = actor;
        } else if (message.handshake != kNothing && message.handshake != Message::kFlies) {
            settle(message.handshake, actor, posted);
        }
        return claimed;
    }

    Need request(Actor& actor, std::uint32_t channel, const Charge& charge, std::uint64_t bytes);
    void put_request(std::uint32_t channel, std::uint32_t handshake);
    void settle(std::uint32_t handshake, std::uint32_t receiver, const Timestamp& posted);
    static void grant(Handshake& handshake, const Timestamp& at);
    void transfer(std::uint32_t handshake, const Timestamp& granted);
    void leave(Handshake& handshake);
    void proceed(std::uint32_t handshake, bool first = false);
    [[nodiscard]] static std::optional<Timestamp> within_call(const Actor& actor, const Timestamp& ready, bool stays);
    [[nodiscard]] bool needs_handshake(const Actor& actor, std::uint32_t handshake) const;
    void remember_call(Actor& actor, const CallSpan& call);
    [[nodiscard]] std::vector<std::uint32_t> going_on() const;

    [[nodiscard]] std::uint32_t route_of(std::uint32_t channel);
    /// \return true if the message takes shared links: then it arrives once it has crossed them
    bool cross(std::uint32_t channel, std::uint32_t number, double start_ns, std::uint64_t bytes, const Charge& costs);
    [[nodiscard]] double arrive(const Contention::Passage& passage);

    Common& common_;
    const Settings& settings_;
    LargeVector<RankState>& ranks_;
    Actors& actors_;
    Schedule& schedule_;
    Remarks& remarks_;
    const std::uint32_t part_;
    const bool in_calls_;  ///< copy of the common value
    std::unique_ptr<Contention> contention_;
    std::vector<std::uint32_t> routes_;  ///< indexed by channel
    Channels channels_;
    Mail mail_;
    std::vector<std::vector<std::uint32_t>>
        incoming_;           ///< channels of each part that lead here, in the order of letters
    std::vector<Nic> nics_;  ///< indexed by node
    Pool<std::vector<Handshake>> handshakes_;
    std::size_t waiting_handshakes_ = 0;  ///< handshakes that wait for a call of the actor that must act next
    /// By actor and destination: bytes of the last joined message since the actor last computed or waited.
    std::unordered_map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> bursts_;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace waywiser::simulate
