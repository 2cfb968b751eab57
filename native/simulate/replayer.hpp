/// The replay at work: every rank runs ahead until it needs a message that is not sent yet.
///
/// Without a resource that ranks share, the time of a message follows from the times of its two ends, whatever else
/// happens. Ranks are then a network of processes that block on their inputs, and the order in which they are evaluated
/// changes nothing (G. Kahn, "The semantics of a simple language for parallel programming", IFIP 1974). So there is no
/// queue of events: a rank that lacks a message is parked, and woken once by the sender.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulate/collective_choice.hpp"
#include "simulate/common.hpp"
#include "simulate/computing.hpp"
#include "simulate/exchange.hpp"
#include "simulate/nics.hpp"
#include "simulate/reductions.hpp"
#include "simulate/schedule.hpp"
#include "simulate/window_locks.hpp"

namespace waywiser::simulate {

/// Ranks that one thread evaluates, by their index.
struct Part {
    std::uint32_t number = 0;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};

/// Messages of a channel that nobody receives.
struct Unmatched {
    ChannelKey channel;
    std::uint32_t messages = 0;
};

/// Evaluates a part of the ranks.
class Replayer {
public:
    Replayer(Common& common, Part part, std::size_t parts);

    /// Replays the part until its ranks need other parts.
    void run_alone();

    /// Replays the part beside the others until none can go on.
    void run_beside(Exchange& exchange);

    /// Adds what its ranks took: those of the parts before it are there.
    ///
    /// \param found  with all functions of the job, in its order
    void add_to(Prediction& found, Remarks& remarks) const;
    [[nodiscard]] const Actor* last() const;
    [[nodiscard]] LinkUse link_use(double makespan_ns) const;

    // What cannot go on (stalls.cpp).
    [[nodiscard]] std::vector<Actor*> parked();
    /// All are parked: nobody leaves his call before, whichever handshakes go on until then.
    [[nodiscard]] double quiet_until_ns() const;
    /// \param quiet_ns  of all parts. \return whether anything goes on
    [[nodiscard]] bool resume(double quiet_ns);
    [[nodiscard]] bool waits_in_vain(Actor& actor);
    [[nodiscard]] std::string describe(Actor& actor);
    void let_go(Actor& actor);
    [[nodiscard]] std::optional<Unmatched> unmatched() const;
    [[nodiscard]] std::string sending_call(const ChannelKey& key) const;

private:
    // The schedule (replayer.cpp).
    void check_node(std::uint32_t rank) const;
    void add_streams();
    const Actor& add_stream(std::uint32_t rank, std::uint32_t stream);
    void run_round();
    void advance(std::uint32_t actor);
    [[nodiscard]] bool read_next(Actor& actor);
    [[nodiscard]] bool read_block(Actor& actor);
    void begin_planned(Actor& actor);
    [[nodiscard]] const trace::Parameters& absolute(const Actor& actor, const trace::Parameters& parameters,
                                                    std::uint32_t relative);
    void end_call(Actor& actor);
    void finish(Actor& actor);
    void remark(const std::string& what, std::uint64_t times = 1) { remarks_[what] += times; }

    /// \param round  from the rank on whose turn it is
    void look_ahead(std::span<const std::uint32_t> round) const;
    void fetch_lists(const Actor& actor) const;
    void fetch_channels(const Actor& actor) const;

    // What calls wait for (needs.cpp).
    [[nodiscard]] bool meet_needs(Actor& actor);
    [[nodiscard]] bool met(Actor& actor, const Need& need);
    /// The message, if it is there.
    [[nodiscard]] bool take(Actor& actor, const Need& need) {
        Channel& channel = channels_[need.index()];
        if (need.number() >= channel.sent) return false;
        const Message& message = channel.message(need.number());
        if (message.handshake != kNothing) return false;
        wait_until(actor, message.available, message.available.ns() - static_cast<double>(message.flight_ns));
        busy(actor, message.busy_ns);
        count_open(actor, -1);
        channel.take(need.number());
        return true;
    }
    [[nodiscard]] bool await_needs(Actor& actor);
    void stop_waiting(Actor& actor);
    [[nodiscard]] std::uint32_t* what_wakes(const Need& need);
    void count_open(Actor& actor, int more) const {
        if (in_calls_) actor.open += more;
    }

    // What messages cost (messages.cpp).
    [[nodiscard]] Charge charge(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                                machine::Protocol protocol) const;
    static void busy(Actor& actor, double ns) {
        actor.now.add_overhead(ns);
        actor.overhead_ns += ns;
    }
    /// Idle until then; what lies before the partner's begin is waiting, the rest transfer.
    static void wait_until(Actor& actor, const Moment& moment, double partner_ns) {
        const double idle_ns = moment.ns() - actor.now.ns();
        if (idle_ns <= 0) return;
        const double waiting_ns = std::clamp(partner_ns - actor.now.ns(), 0.0, idle_ns);
        actor.waiting_ns += waiting_ns;
        actor.call_waiting_ns += waiting_ns;
        actor.transfer_ns += idle_ns - waiting_ns;
        actor.now = moment;
    }
    /// The rank that a channel leads to, where that matters.
    [[nodiscard]] std::uint32_t to_of(std::uint32_t channel) const {
        return settings_.share_nic ? channels_.key(channel).destination : 0;
    }
    [[nodiscard]] bool shares_nic(std::uint32_t from, std::uint32_t to) const {
        return settings_.share_nic && (to == kNothing || ranks_[from].node != ranks_[to].node);
    }
    Moment& nic_of(Actor& actor) { return actor.is_agent ? actor.own_nic : ranks_[actor.rank].nic; }
    Need send(Actor& actor, std::uint32_t channel, const Charge& charge, std::uint64_t bytes);
    void put(Channel& channel, const Message& message) {
        channel.next(channel.sent) = message;
        if (message.handshake != Message::kFlies) schedule_.wake(channel.waiter);
    }
    [[nodiscard]] Moment send_eager(Actor& actor, const Charge& charge, std::uint32_t to);
    /// Puts a message's bytes on their way, from `ready` on, where nobody else has the NIC.
    /// \return when the last one is there
    [[nodiscard]] static Moment transmit(Moment& nic, const Moment& ready, const Charge& charge) {
        const Moment leaves = later(ready, nic);
        nic = after_transfer(leaves, charge.gap_ns + charge.transfer_ns);
        return after_latency(after_transfer(leaves, charge.transfer_ns), charge.latency_ns);
    }
    /// When the receiver can take a message: the last byte does not leave before the processor has copied it. Of its
    /// work, a receiver does a part while the bytes are coming.
    [[nodiscard]] static Moment copied(const Moment& there, const Moment& now, const Charge& charge) {
        return after_transfer(later(there, after_latency(now, charge.latency_ns)), -charge.overlap_ns);
    }
    [[nodiscard]] Moment transmit_shared(const Moment& ready, const Charge& charge, std::uint32_t from,
                                         std::uint32_t to);
    /// A receive is posted: it takes the next message of the channel. \return its number
    std::uint32_t claim(std::uint32_t actor, Channel& channel, const Moment& posted) {
        const std::uint32_t claimed = channel.claimed;
        Message& message = channel.next(channel.claimed);
        if (claimed >= channel.sent) {
            message.available = posted;
            message.handshake = actor;
        } else if (message.handshake != kNothing) {
            claim_long(message.handshake, actor, posted);
        }
        return claimed;
    }
    void claim_long(std::uint32_t handshake, std::uint32_t actor, const Moment& posted);
    Need claim(Actor& actor, std::uint32_t channel, const Moment& posted);
    void post_in_a_row(Actor& actor);
    Need post_planned(Actor& actor, const Plan& plan, std::uint32_t symbol);
    [[nodiscard]] Charge joined(const Actor& actor, std::uint32_t to, const Charge& costs, std::uint64_t bytes);
    void end_burst(const Actor& actor);

    // Links between nodes (links.cpp).
    [[nodiscard]] std::uint32_t way_of(std::uint32_t channel);
    /// \return whether the message takes links that others share: then it is there once it has crossed them
    bool take_off(std::uint32_t channel, std::uint32_t number, double start_ns, std::uint64_t bytes,
                  const Charge& costs) {
        return contention_ && cross(channel, number, start_ns, bytes, costs);
    }
    bool cross(std::uint32_t channel, std::uint32_t number, double start_ns, std::uint64_t bytes, const Charge& costs);
    [[nodiscard]] bool next_event();
    [[nodiscard]] double arrive(const Contention::Passage& passage);
    void fetch_ahead(std::span<const Contention::Passage> passages) const;

    // Long messages (progress.cpp).
    Need request(Actor& actor, std::uint32_t channel, const Charge& charge, std::uint64_t bytes);
    void put_request(std::uint32_t channel, std::uint32_t handshake);
    void transfer(std::uint32_t handshake, const Moment& granted);
    [[nodiscard]] std::uint32_t make_handshake(std::uint32_t channel, const Charge& charge, std::uint64_t bytes);
    void settle(std::uint32_t handshake, std::uint32_t receiver, const Moment& posted);
    void leave(Handshake& handshake);
    void proceed(std::uint32_t handshake, bool first = false);
    static void grant(Handshake& handshake, const Moment& at);
    [[nodiscard]] static std::optional<Moment> within_call(const Actor& actor, const Moment& ready, bool stays);
    [[nodiscard]] bool needs_handshake(const Actor& actor, std::uint32_t handshake) const;
    void proceed_in_call(const Actor& actor);
    void remember_call(Actor& actor, const Moment& begin, double end_ns);
    struct NextHandshake {
        std::uint32_t number;
        double at_ns;
    };
    template <class Visit>
    void each_handshake(Visit visit) const;
    [[nodiscard]] std::optional<NextHandshake> next_handshake() const;
    bool proceed_until(double quiet_ns);

    // What calls do (calls.cpp).
    void begin_call(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    [[nodiscard]] Link find_link(Actor& actor, const Plan& plan);
    void post(Actor& actor, const Description& described, Need* request);
    void need(Actor& actor, Need* request, const Need& need);
    Need post_send(Actor& actor, const Description& described);
    Need post_receive(Actor& actor, std::int32_t object, mpi::Selector wanted, const Moment& posted);
    void complete(Actor& actor, const trace::Parameters& call);
    void complete_special(Actor& actor, Need& request, const trace::Completion& done);
    void probe(Actor& actor, const trace::Parameters& call);
    void cancel(Actor& actor, std::int32_t number);
    void withdraw(Need& receive);
    void make_ready(Actor& actor, const trace::Parameters& call);
    [[nodiscard]] bool polls(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    static void spend(Actor& actor, double ns);
    Need* request_of(const Actor& actor, std::int32_t number) { return ranks_[actor.rank].requests.find(number); }
    /// A request that is over, whatever the request was before; null if there can be none of that number.
    Need* make_request(const Actor& actor, std::int32_t number) {
        Need* request = ranks_[actor.rank].requests.make(number);
        if (request != nullptr) forget(*request);
        return request;
    }
    void forget(Need& request) {
        if (request.kind() == Need::Kind::special) special_requests_.release(request.index());
        request = {};
    }
    [[nodiscard]] SpecialRequest* special_of(const Actor& actor, std::int32_t number);
    SpecialRequest& make_special(Need& request);
    RankObject* object_of(const Actor& actor, std::int32_t number);
    [[nodiscard]] std::optional<std::uint32_t> peer_of(const Actor& actor, std::int32_t object, std::int32_t peer);
    [[nodiscard]] std::uint32_t channel(std::uint32_t group, std::int32_t tag, std::uint32_t from, std::uint32_t to);

    // Collectives (collective_calls.cpp).
    void start_collective(Actor& actor, const Description& described, Need* request);
    [[nodiscard]] bool plan(Actor& player, const Description& described, std::int32_t tag);
    void play_over(Actor& player, const Group& group, std::uint32_t context, collectives::Collective collective,
                   const Description& described, std::int32_t tag);
    void between_groups(Actor& player, const Description& described, const JobObject& over, std::int32_t tag);
    void play_on(Actor& actor);
    std::uint32_t make_agent(const Actor& actor);
    void meet_neighbours(Actor& player, const Description& described, std::int32_t tag);
    void join_all(Actor& actor);

    // Collectives in switches (reductions.cpp).
    void reduce(Actor& player, const Group& group, std::uint32_t context, std::uint64_t bytes);
    void take_result(Actor& actor, const Need& need);

    // Windows (windows.cpp).
    void operate(Actor& actor, const trace::Parameters& call);
    void synchronise(Actor& actor, const trace::Parameters& call);
    void flush(Actor& actor, Epochs& epochs, std::int32_t target);
    struct EpochCall;
    [[nodiscard]] bool next_lock();

    // Other parts of the ranks (hand_over.cpp).
    [[nodiscard]] const ChannelKey& ends_of(std::uint32_t channel) const {
        return (channel & kAway) != 0 ? mail_.key(channel) : channels_.key(channel);
    }
    void take_in(const Letters& letters);

    [[nodiscard]] std::optional<std::uint32_t> partner_of(Actor& actor);
    [[nodiscard]] std::string rank_name(std::uint32_t index) const;
    [[nodiscard]] std::string in_call(const trace::Parameters& call) const;

    Common& common_;
    const Part part_;
    // References to what all parts share.
    const Settings& settings_;
    const trace::TraceJob& job_;
    const std::vector<Function>& functions_;
    const std::vector<JobObject>& objects_;
    LargeVector<RankState>& ranks_;

    std::unique_ptr<trace::CallReader> reader_;
    const bool in_calls_;  ///< as it is common
    const Computing computing_;
    const bool in_rows_;  ///< nothing else is asked of a call that posts an eager message, or a receive
    std::unique_ptr<Contention> contention_;
    std::vector<std::uint32_t> ways_;  ///< by channel
    trace::Parameters absolute_;
    StableItems<Actor> actors_;  ///< of its streams, and then agents
    std::uint32_t streams_ = 0;
    LargeVector<Link> links_;     ///< of all streams
    LargeVector<CallSums> sums_;  ///< of all streams
    std::vector<std::uint32_t> free_agents_;
    Schedule schedule_;
    Pool<std::deque<SpecialRequest>> special_requests_;
    Channels channels_;
    Mail mail_;
    std::vector<std::vector<std::uint32_t>>
        incoming_;           ///< channels of each part that lead here, in the order of letters
    std::vector<Nic> nics_;  ///< by node
    Pool<std::vector<Handshake>> handshakes_;
    std::size_t waiting_handshakes_ = 0;  ///< for a call of the actor whose turn it is
    std::vector<Moment> moments_;         ///< of requests of windows
    WindowLocks locks_;
    std::vector<Burst> bursts_;  ///< by stream, where messages are joined
    Reductions reductions_;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t recorded_compute_ns_ = 0;
    std::uint64_t recorded_mpi_ns_ = 0;
    Remarks remarks_;
    CollectiveChoice choice_{common_, remarks_};
};

}  // namespace waywiser::simulate
