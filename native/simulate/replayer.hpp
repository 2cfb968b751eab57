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

#include "collectives/selection.hpp"
#include "simulate/cards.hpp"
#include "simulate/channels.hpp"
#include "simulate/members.hpp"
#include "simulate/replay.hpp"
#include "trace/roles.hpp"

namespace waywiser::simulate {

/// What a call waits for before it can end.
struct Need {
    enum class Kind : std::uint8_t { none, message, sent, agent, moment };

    Kind kind = Kind::none;
    std::uint32_t index = kNothing;  ///< of the channel, the handshake, the actor or the moment
    std::uint32_t number = 0;        ///< of the message in its channel
};

/// A message above the eager limit: a request, a grant once its receive is posted, and then the data. Or an eager one
/// on links that it shares, until it has crossed them.
struct Handshake {
    Charge charge;
    std::uint32_t channel = kNothing;
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
    Moment request;  ///< is with the receiver
    Moment slot;     ///< from when on the sender's card has room for the data
    /// Flies: the data, or an eager message, are on links that others share.
    enum class Stage : std::uint8_t { sent, requested, granted, flies, over } stage = Stage::sent;
    Moment ready;                        ///< of the next stage
    std::uint32_t sending = kNothing;    ///< actor
    std::uint32_t receiving = kNothing;  ///< likewise
    Moment left;                         ///< the data have left the sender
    double begin_ns = 0;                 ///< of the send
    double posted_ns = 0;                ///< of the receive
    std::uint32_t sender = kNothing;     ///< actor that is parked until `left` is known
    std::uint32_t receiver = kNothing;   ///< actor that is parked until the data's arrival is known
};

/// What a message, or a collective, is called with.
struct Envelope {
    trace::Action action = trace::Action::none;
    std::uint32_t function = 0;
    std::int32_t object = trace::kNone;
    std::int32_t peer = trace::kNone;
    std::int32_t tag = trace::kNone;
    std::int32_t source = trace::kNone;
    std::int32_t source_tag = trace::kNone;
    std::uint64_t bytes = 0;
    std::uint64_t posted = 0;
    // NOLINTNEXTLINE(readability-redundant-member-init): g++ warns without
    std::vector<std::uint64_t> counts = {};
};

/// Of a request, what few have.
struct PreparedRequest {
    bool persistent = false;
    bool open = false;  ///< a receive that named no source or tag, until it is known which message it got
    Moment posted;
    Envelope envelope;
};

struct Request {
    Need first;
    Need second;
    std::unique_ptr<PreparedRequest> prepared;
};

/// Ranks of neighbours in the topology of a communicator.
struct Neighbours {
    std::vector<std::int32_t> in;
    std::vector<std::int32_t> out;
};

/// A rank's epochs of a window.
struct Epochs {
    std::map<std::int32_t, Moment> pending;  ///< by target: when the last operation is over there
    std::vector<std::int32_t> targets;       ///< of the access epoch
    std::vector<std::int32_t> origins;       ///< of the exposure epoch
};

/// A communicator, a window or a file as one rank has it.
struct RankObject {
    std::uint32_t job_object = 0;
    std::int32_t collectives = 0;  ///< that were not blocking
    std::unique_ptr<Epochs> epochs;
    std::shared_ptr<const Neighbours> neighbours;
};

struct RankState {
    std::int64_t node = 0;
    std::size_t card_number = 0;  ///< of the node's card
    std::uint32_t running = 0;    ///< streams that are not over
    Moment card;                  ///< has put the latest message on its way
    std::vector<Request> requests;
    std::vector<RankObject> objects;
};

/// A rank's part of a collective: one step after the other.
struct Play {
    struct Step {
        int round = 0;                     ///< steps of one round begin together
        std::uint32_t to = kNothing;       ///< rank
        std::uint32_t send = kNothing;     ///< channel
        std::uint32_t receive = kNothing;  ///< channel
        std::uint64_t bytes = 0;
    };

    std::uint32_t function = kNothing;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    std::uint32_t rank = kNothing;
    std::uint64_t bytes = 0;
    int root = 0;
    std::vector<std::uint64_t> counts;
    std::vector<Step> steps;  ///< rounds follow one another
    std::size_t at = 0;
};

/// What is known of all calls of a symbol.
struct Plan {
    enum class Kind : std::uint8_t { other, send, receive };

    const trace::StoredSignature* what = nullptr;
    Kind kind = Kind::other;
    Charge within;
    Charge between;
};

/// Where a stream's calls of a symbol go, or come from: the same each time.
struct Link {
    bool known = false;
    bool within = false;               ///< the partner is on the same node
    std::uint32_t channel = kNothing;  ///< kNothing: there is no partner
};

/// A call that is over.
struct CallSpan {
    Moment begin;
    double end_ns;
};

/// Something with a time of its own: a stream of calls, or a collective that is not blocking.
struct Actor {
    std::uint32_t number = 0;
    std::uint32_t rank = 0;
    std::uint32_t stream = kNothing;  ///< kNothing: an agent
    std::uint32_t next_block = 0;
    trace::BlockOfCalls block;
    std::size_t position = 0;  ///< in it
    std::uint64_t calls_read = 0;
    const std::vector<Plan>* plans = nullptr;
    std::vector<Link> links;  ///< by symbol
    bool finished = false;
    bool in_call = false;
    bool in_play = false;
    bool spins = false;
    Moment now;
    Moment own_card;          ///< of an agent
    std::vector<Need> needs;  ///< of the call at hand
    std::size_t at = 0;       ///< the first that is not met
    std::unique_ptr<Play> play;
    std::uint32_t waiter = kNothing;  ///< actor that is parked until this agent is over
    std::uint32_t function = 0;       ///< of the call at hand
    std::uint32_t site = 0;
    Moment begin;                           ///< of the call at hand
    double call_waiting_ns = 0;             ///< likewise
    std::vector<std::uint32_t> handshakes;  ///< whose turn it is, once it is within a call
    std::vector<CallSpan> calls;            ///< since one of those began, where progress is within calls only
    std::int32_t open = 0;                  ///< messages that it sends or receives, and that are not complete
    std::uint64_t intervals = 0;            ///< of computing
    RankTimes times;
};

class Replayer {
public:
    Replayer(const trace::TraceJob& job, trace::CallSource& calls, const Settings& settings);

    [[nodiscard]] Prediction run();

private:
    /// What a function is.
    struct Function {
        trace::CallRole role;
        std::string operation;
        std::optional<collectives::Collective> collective;

        /// How its messages are sent.
        [[nodiscard]] machine::Protocol protocol() const {
            if (role.mode == trace::SendMode::standard) return machine::Protocol::by_size;
            return role.mode == trace::SendMode::local ? machine::Protocol::eager : machine::Protocol::rendezvous;
        }
    };

    // The schedule (replayer.cpp).
    void run_round();
    void number_cards();
    static void fetch(const Actor& actor);
    void advance(std::uint32_t actor);
    [[nodiscard]] bool read_next(Actor& actor);
    [[nodiscard]] bool meet_needs(Actor& actor);
    [[nodiscard]] bool met(Actor& actor, const Need& need);
    [[nodiscard]] bool await_needs(Actor& actor);
    [[nodiscard]] std::uint32_t* what_wakes(const Need& need);
    void make_plans();
    void make_balance();
    void compute(Actor& actor, double recorded_ns);
    void look_ahead(const Actor& actor) const;
    void begin_planned(Actor& actor, std::uint32_t symbol);
    [[nodiscard]] const trace::Parameters& absolute(const Actor& actor, const trace::Parameters& parameters,
                                                    std::uint32_t relative);
    void end_call(Actor& actor);
    void finish(Actor& actor);
    void wake(std::uint32_t& waiter);
    [[nodiscard]] double computing_ns(Actor& actor, double recorded_ns) const;
    [[nodiscard]] Prediction result();
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
    [[nodiscard]] Moment send_eager(Actor& actor, const Charge& charge, std::uint32_t to);
    [[nodiscard]] Moment transmit(Moment& card, const Moment& ready, const Charge& charge, std::uint32_t from,
                                  std::uint32_t to);
    Need claim(Actor& actor, std::uint32_t channel, const Moment& posted);
    void transfer(std::uint32_t handshake, const Moment& granted);
    void take(Actor& actor, std::uint32_t channel, std::uint32_t number);
    std::uint32_t make_handshake();

    // Links between nodes (links.cpp).
    [[nodiscard]] bool shares_links(const ChannelKey& ends) const {
        return contention_ != nullptr && ranks_[ends.source].node != ranks_[ends.destination].node;
    }
    void take_off(std::uint32_t handshake, double start_ns);
    [[nodiscard]] bool land();
    [[nodiscard]] LinkUse link_use(double makespan_ns) const;

    // Handshakes (progress.cpp).
    void settle(std::uint32_t handshake, std::uint32_t receiver, const Moment& posted);
    void proceed(std::uint32_t handshake, bool waits);
    [[nodiscard]] std::optional<Moment> within_call(const Actor& actor, const Moment& ready, bool waits) const;
    [[nodiscard]] bool needs_handshake(const Actor& actor, std::uint32_t handshake) const;
    void proceed_while_parked(Actor& actor);
    void remember_call(Actor& actor);
    [[nodiscard]] bool proceed_earliest();

    // What calls do (calls.cpp).
    void begin_call(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    void post_planned(Actor& actor, const Plan& plan, std::uint32_t symbol);
    void post(Actor& actor, const Envelope& envelope, Request* request);
    void need(Actor& actor, Request* request, const Need& need);
    Need post_send(Actor& actor, const Envelope& envelope);
    Need post_receive(Actor& actor, std::int32_t object, std::int32_t source, std::int32_t tag, const Moment& posted);
    void complete(Actor& actor, const trace::Parameters& call);
    void probe(Actor& actor, const trace::Parameters& call);
    void cancel(Actor& actor, std::int32_t number);
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
    [[nodiscard]] std::vector<collectives::Stage> stages_of(collectives::Collective collective, bool nonblocking,
                                                            const collectives::Operation& operation);
    void meet_neighbours(Actor& player, const Envelope& envelope, std::int32_t tag);
    void learn_neighbours(Actor& actor, const trace::Parameters& call);
    void join_all(Actor& actor);

    // Windows (windows.cpp).
    void operate(Actor& actor, const trace::Parameters& call);
    void synchronise(Actor& actor, const trace::Parameters& call);
    void flush(Actor& actor, Epochs& epochs, std::int32_t target);
    Need post_token(Actor& actor, std::uint32_t context, std::int32_t object, std::int32_t member, std::int32_t tag);

    // What cannot go on (stalls.cpp).
    [[nodiscard]] bool resolve_stall();
    [[nodiscard]] std::optional<std::uint32_t> partner_of(Actor& actor);
    [[nodiscard]] std::string describe(Actor& actor);
    void let_go(Actor& actor);
    void count_unmatched();

    const Settings& settings_;
    const trace::TraceJob& job_;
    std::unique_ptr<Contention> contention_;
    std::vector<Function> functions_;
    std::vector<JobObject> objects_;
    trace::CallSource& blocks_;
    std::vector<std::vector<Plan>> plans_;  ///< by the streams' lists, and by symbol
    trace::Parameters absolute_;
    std::uint32_t world_ = 0;  ///< context of MPI_Finalize
    Group everybody_;          ///< its members
    std::vector<RankState> ranks_;
    std::vector<std::unique_ptr<Actor>> actors_;
    std::vector<std::uint32_t> free_agents_;
    std::vector<std::uint32_t> runnable_;
    std::vector<std::uint32_t> round_;
    std::vector<std::uint32_t> missing_;  ///< by actor: needs that cannot be met yet; 0: it is not parked
    std::vector<std::uint32_t> crowded_;  ///< actors whose place another one took where they wait
    Channels channels_;
    std::vector<Card> cards_;  ///< by node
    std::vector<Handshake> handshakes_;
    std::vector<std::uint32_t> free_handshakes_;
    std::vector<Moment> moments_;  ///< of requests of windows
    std::vector<double> scale_;    ///< of computing, by rank
    std::vector<double> gaps_ns_;  ///< balanced: computing before each call; empty if ranks do not do the same
    std::map<collectives::Collective, const collectives::Algorithm*> wanted_;  ///< that the settings name
    std::optional<collectives::Library> rules_;                                ///< which choose the others
    std::vector<FunctionTimes> function_times_;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t origin_ns_ = 0;
    Recorded recorded_;
    bool incomplete_ = false;
    std::map<std::string, std::uint64_t> remarks_;
};

/// Null if there is none.
template <class Item>
Item* numbered(std::vector<Item>& items, std::int32_t number) {
    const auto index = static_cast<std::size_t>(number);
    return number < 0 || index >= items.size() ? nullptr : &items[index];
}

/// Tags of what is no message of the program.
inline constexpr std::int32_t kPosted = -10;
inline constexpr std::int32_t kCompleted = -11;
inline constexpr std::int32_t kBlocking = -100;    ///< collectives; those that are not blocking count down from it
inline constexpr std::int32_t kMostAtOnce = 4096;  ///< of these, over one communicator

}  // namespace waywiser::simulate
