/// The replay at work: every rank runs ahead until it needs a message that is not sent yet.
///
/// Without a resource that ranks share, the time of a message follows from the times of its two ends, whatever else
/// happens: ranks are a network of processes that block on their inputs, and the order in which they are evaluated
/// changes nothing (G. Kahn, "The semantics of a simple language for parallel programming", IFIP 1974). So there is no
/// queue of events: who lacks a message is parked, and woken once by whoever sends it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulate/cards.hpp"
#include "simulate/common.hpp"
#include "simulate/exchange.hpp"

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

    /// As far as its ranks can go without the others.
    void run_alone();

    /// Until nobody can go on.
    void run_beside(Exchange& exchange);

    /// Adds what its ranks took: those of the parts before it are there.
    ///
    /// \param found  with all functions of the job, in its order
    void add_to(Prediction& found, Remarks& remarks) const;
    [[nodiscard]] const Actor* last() const;
    [[nodiscard]] LinkUse link_use(double makespan_ns) const;

    // What cannot go on (stalls.cpp).
    [[nodiscard]] std::vector<Actor*> parked();
    [[nodiscard]] bool resume();
    [[nodiscard]] bool waits_in_vain(Actor& actor);
    [[nodiscard]] std::string describe(Actor& actor);
    void let_go(Actor& actor);
    [[nodiscard]] std::optional<Unmatched> unmatched() const;
    [[nodiscard]] std::string sending_call(const ChannelKey& key) const;

private:
    // The schedule (replayer.cpp).
    void check_node(std::uint32_t rank) const;
    void add_stream(std::uint32_t rank, std::uint32_t stream);
    void run_round();
    static void fetch(const Actor& actor);
    void advance(std::uint32_t actor);
    [[nodiscard]] bool read_next(Actor& actor);
    [[nodiscard]] bool meet_needs(Actor& actor);
    [[nodiscard]] bool met(Actor& actor, const Need& need);
    [[nodiscard]] bool await_needs(Actor& actor);
    [[nodiscard]] std::uint32_t* what_wakes(const Need& need);
    void compute(Actor& actor, double recorded_ns);
    void look_ahead(const Actor& actor) const;
    void begin_planned(Actor& actor, std::uint32_t symbol);
    void post_in_a_row(Actor& actor);
    [[nodiscard]] double before_call_ns(const Actor& actor, double recorded_ns) const;
    [[nodiscard]] const trace::Parameters& absolute(const Actor& actor, const trace::Parameters& parameters,
                                                    std::uint32_t relative);
    void end_call(Actor& actor);
    void finish(Actor& actor);
    bool wake(std::uint32_t& waiter);
    [[nodiscard]] double computing_ns(Actor& actor, double recorded_ns) const;
    void remark(const std::string& what, std::uint64_t times = 1) { remarks_[what] += times; }

    // What messages cost (messages.cpp).
    [[nodiscard]] Charge charge(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                                machine::Protocol protocol) const;
    static void busy(Actor& actor, double ns);
    static void wait_until(Actor& actor, const Moment& moment, double partner_ns);
    /// The rank that a channel leads to, where that matters.
    [[nodiscard]] std::uint32_t to_of(std::uint32_t channel) const {
        return settings_.share_card ? channels_.key(channel).destination : 0;
    }
    Moment& card_of(Actor& actor) { return actor.stream != kNothing ? ranks_[actor.rank].card : actor.own_card; }
    Need send(Actor& actor, std::uint32_t channel, const Charge& charge, std::uint64_t bytes);
    Need request(Actor& actor, std::uint32_t channel, const Charge& charge, std::uint64_t bytes);
    void put(std::uint32_t channel, const Message& message, const Path& path);
    void put_request(std::uint32_t channel, std::uint32_t handshake);
    [[nodiscard]] Moment send_eager(Actor& actor, const Charge& charge, std::uint32_t to);
    [[nodiscard]] Moment transmit(Moment& card, const Moment& ready, const Charge& charge, std::uint32_t from,
                                  std::uint32_t to);
    Need claim(Actor& actor, std::uint32_t channel, const Moment& posted);
    void transfer(std::uint32_t handshake, const Moment& granted);
    void take(Actor& actor, Channel& channel, std::uint32_t number);
    [[nodiscard]] std::uint32_t free_handshake();
    [[nodiscard]] std::uint32_t make_handshake(std::uint32_t channel, std::uint32_t number, const Charge& charge,
                                               std::uint64_t bytes);

    // Links between nodes (links.cpp).
    [[nodiscard]] std::uint32_t way_of(std::uint32_t channel);
    void take_off(std::uint32_t handshake, std::uint32_t way, double start_ns, const Charge& costs);
    [[nodiscard]] bool next_event();
    [[nodiscard]] double arrive(const Contention::Passage& passage);
    void fetch_ahead(std::span<const Contention::Passage> passages) const;

    // Handshakes (progress.cpp).
    void settle(std::uint32_t handshake, std::uint32_t receiver, const Moment& posted);
    void proceed(std::uint32_t handshake, bool waits);
    static void grant(Handshake& handshake, const Moment& at);
    [[nodiscard]] std::optional<Moment> within_call(const Actor& actor, const Moment& ready, bool waits) const;
    [[nodiscard]] bool needs_handshake(const Actor& actor, std::uint32_t handshake) const;
    void proceed_while_parked(Actor& actor);
    void remember_call(Actor& actor);
    struct NextHandshake {
        std::uint32_t number;
        double at_ns;
    };
    [[nodiscard]] std::optional<NextHandshake> next_handshake() const;

    // What calls do (calls.cpp).
    void begin_call(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    [[nodiscard]] Link find_link(Actor& actor, const Plan& plan);
    Need post_planned(Actor& actor, const Plan& plan, std::uint32_t symbol);
    void post(Actor& actor, const Envelope& envelope, Request* request);
    void need(Actor& actor, Request* request, const Need& need);
    Need post_send(Actor& actor, const Envelope& envelope);
    Need post_receive(Actor& actor, std::int32_t object, std::int32_t source, std::int32_t tag, const Moment& posted);
    void complete(Actor& actor, const trace::Parameters& call);
    void probe(Actor& actor, const trace::Parameters& call);
    void cancel(Actor& actor, std::int32_t number);
    void make_ready(Actor& actor, const trace::Parameters& call);
    [[nodiscard]] bool polls(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    static void spend(Actor& actor, double ns);
    Request* make_request(Actor& actor, std::int32_t number);
    Request* request_of(Actor& actor, std::int32_t number);
    RankObject* object_of(const Actor& actor, std::int32_t number);
    [[nodiscard]] std::optional<std::uint32_t> peer_of(const Actor& actor, std::int32_t object, std::int32_t peer);
    [[nodiscard]] std::uint32_t channel(std::uint32_t group, std::int32_t tag, std::uint32_t from, std::uint32_t to);

    // Collectives (collective_calls.cpp).
    void start_collective(Actor& actor, const Envelope& envelope, Request* request);
    [[nodiscard]] bool plan(Actor& player, const Envelope& envelope, std::int32_t tag);
    void play_over(Actor& player, const Group& group, std::uint32_t context, collectives::Collective collective,
                   const Envelope& envelope, std::int32_t tag);
    void between_groups(Actor& player, const Envelope& envelope, const JobObject& over, std::int32_t tag);
    void play_on(Actor& actor);
    std::uint32_t make_agent(const Actor& actor);
    [[nodiscard]] std::vector<collectives::Stage> stages_of(collectives::Collective collective, const std::string& name,
                                                            bool nonblocking, const collectives::Operation& operation,
                                                            const Group& group);
    void meet_neighbours(Actor& player, const Envelope& envelope, std::int32_t tag);
    void learn_neighbours(Actor& actor, const trace::Parameters& call);
    void join_all(Actor& actor);

    // Collectives in switches (reductions.cpp).
    [[nodiscard]] bool has_switches(const Group& group) const;
    void reduce(Actor& player, const Group& group, std::uint32_t context, std::uint64_t bytes);
    [[nodiscard]] std::uint32_t join_reduction(const Group& group, std::uint32_t context, std::size_t place);
    [[nodiscard]] std::uint32_t make_reduction(const Group& group);
    void take_result(Actor& actor, const Need& need);

    // Windows (windows.cpp).
    void operate(Actor& actor, const trace::Parameters& call);
    void synchronise(Actor& actor, const trace::Parameters& call);
    void flush(Actor& actor, Epochs& epochs, std::int32_t target);
    Need post_token(Actor& actor, std::uint32_t context, std::int32_t object, std::int32_t member, std::int32_t tag);

    // Other parts of the ranks (hand_over.cpp).
    [[nodiscard]] const ChannelKey& ends_of(std::uint32_t channel) const;
    void hand_over(Exchange& exchange);
    void take_in(const Letters& letters);
    void send_away(std::uint32_t channel, const Message& message, const Path& path);
    void request_away(std::uint32_t channel, std::uint32_t handshake);

    [[nodiscard]] std::optional<std::uint32_t> partner_of(Actor& actor);
    [[nodiscard]] std::string rank_name(std::uint32_t index) const;
    [[nodiscard]] std::string in_call(std::uint32_t function, std::uint32_t site) const;

    Common& common_;
    const Part part_;
    // Of what is common.
    const Settings& settings_;
    const trace::TraceJob& job_;
    const std::vector<Function>& functions_;
    const std::vector<JobObject>& objects_;
    const std::map<collectives::Collective, const collectives::Algorithm*>& wanted_;
    const std::optional<collectives::Library>& rules_;
    const std::uint32_t& world_;
    const Group& everybody_;
    std::vector<RankState>& ranks_;

    std::unique_ptr<trace::CallReader> reader_;
    const bool quiet_;  ///< without noise
    std::unique_ptr<Contention> contention_;
    std::vector<std::uint32_t> ways_;  ///< by channel
    trace::Parameters absolute_;
    std::vector<std::unique_ptr<Actor>> actors_;  ///< of its streams, and then agents
    std::vector<std::uint32_t> free_agents_;
    std::vector<std::uint32_t> runnable_;
    std::vector<std::uint32_t> round_;
    std::vector<std::uint32_t> missing_;  ///< by actor: needs that cannot be met yet; 0: it is not parked
    std::vector<std::uint32_t> crowded_;  ///< actors whose place another one took where they wait
    Channels channels_;
    AwayChannels away_;
    std::vector<Letters> letters_;  ///< to each part, not yet handed over
    std::vector<std::vector<std::uint32_t>>
        incoming_;             ///< channels of each part that lead here, in the order of letters
    std::vector<Card> cards_;  ///< by node
    std::vector<Handshake> handshakes_;
    std::vector<std::uint32_t> free_handshakes_;
    std::size_t waiting_handshakes_ = 0;  ///< for a call of the actor whose turn it is
    std::vector<Moment> moments_;         ///< of requests of windows
    std::vector<Reduction> reductions_;
    std::vector<std::uint32_t> free_reductions_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> open_reductions_;  ///< by context: to which some have not come
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t recorded_compute_ns_ = 0;
    std::uint64_t recorded_mpi_ns_ = 0;
    Remarks remarks_;
};

}  // namespace waywiser::simulate
