/// State of ranks, their calls and their messages during a replay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/stable_items.hpp"
#include "mpi/neighbours.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"
#include "simulate/channels.hpp"
#include "simulate/members.hpp"
#include "simulate/prediction.hpp"
#include "simulate/settings.hpp"
#include "trace/reading/call_source.hpp"

namespace waywiser::simulate {

using mpi::Description;

/// A condition that a call must meet before it can end.
class Need {
public:
    enum class Kind : std::uint8_t { none, message, sent, agent, timestamp, reduction, special, lock };

    Need() = default;
    /// \param index  index of the channel, the handshake, the actor, the timestamp, the reduction, the special request
    /// or
    ///     the request for a lock
    /// \param number  number of the message in its channel, or of the member of the reduction
    Need(Kind kind, std::uint32_t index, std::uint32_t number = 0)
        : what_(index << kBits | static_cast<std::uint32_t>(kind)), number_(number) {}

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(what_ & ((1U << kBits) - 1U)); }
    [[nodiscard]] bool is_none() const { return kind() == Kind::none; }
    [[nodiscard]] std::uint32_t index() const { return what_ >> kBits; }
    [[nodiscard]] std::uint32_t number() const { return number_; }

private:
    static constexpr unsigned kBits = 3;

    std::uint32_t what_ = 0;
    std::uint32_t number_ = 0;
};

/// A message above the eager limit: a request, a grant once its receive is posted, and then the data.
struct alignas(64) Handshake {
    std::uint32_t channel = kNothing;
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
    /// In stage `flies`, the data are on shared links.
    enum class Stage : std::uint8_t { sent, requested, granted, flies, over } stage = Stage::sent;
    std::uint32_t sending = kNothing;     ///< actor
    std::uint32_t receiving = kNothing;   ///< actor
    std::uint32_t sender = kNothing;      ///< actor that is parked until `left` is known
    std::uint32_t receiver = kNothing;    ///< actor that is parked until the data's arrival is known
    std::uint32_t other_part = kNothing;  ///< part of the partner's ranks, if different
    std::uint32_t other_number = 0;       ///< number of the handshake in that part
    double begin_ns = 0;                  ///< start of the send
    double posted_ns = 0;                 ///< posting time of the receive

    Charge charge;
    Timestamp request;  ///< time at which the receiver has the request
    Timestamp slot;     ///< time from which the sender's NIC has room for the data
    Timestamp ready;    ///< time of the next stage
    Timestamp left;     ///< time at which the data have left the sender
};

/// A request with more than one need: a persistent request, a wildcard receive, or two messages.
struct SpecialRequest {
    Need first;
    Need second;
    bool persistent = false;
    bool open = false;         ///< a receive whose message is not known yet
    std::int64_t unready = 0;  ///< missing partitions of a started send
    Timestamp posted;
    Description described;
};

/// A rank's epochs of a window.
struct Epochs {
    mpi::PendingOperations<Timestamp> pending;
    mpi::EpochPartners with;
    std::vector<std::int32_t> locked;  ///< targets whose lock the rank holds
};

/// A communicator, a window or a file as seen by one rank.
struct RankObject {
    std::uint32_t job_object = 0;
    std::int32_t collectives = 0;  ///< number of nonblocking collectives
    std::unique_ptr<Epochs> epochs;
    std::shared_ptr<const mpi::Neighbours> neighbours;
};

inline Epochs& epochs_of(RankObject& object) {
    if (!object.epochs) object.epochs = std::make_unique<Epochs>();
    return *object.epochs;
}

struct alignas(64) RankState {
    Timestamp nic;                     ///< time at which it has sent the latest message
    mpi::RequestTable<Need> requests;  ///< no need for complete requests
    std::uint32_t nic_number = 0;      ///< number of the node's NIC
    std::uint32_t running = 0;         ///< number of streams that are not over
    std::int64_t node = 0;
    std::vector<RankObject> objects;
};

/// A rank's part of a collective, step by step.
struct CollectivePart {
    struct Step {
        int round = 0;                     ///< steps of one round start together
        std::uint32_t to = kNothing;       ///< destination rank
        std::uint32_t send = kNothing;     ///< channel of the send
        std::uint32_t receive = kNothing;  ///< channel of the receive
        std::uint64_t bytes = 0;
    };

    std::uint32_t function = kNothing;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    std::uint32_t rank = kNothing;
    std::uint64_t bytes = 0;
    int root = 0;
    std::vector<std::uint64_t> counts;
    bool in_switches = false;  ///< there are no steps, because switches execute the collective
    std::vector<Step> steps;   ///< ordered by rounds
    std::size_t at = 0;
};

/// Properties that all calls of a symbol share.
struct Plan {
    enum class Kind : std::uint8_t { other, send, receive };

    const trace::StoredSignature* stored = nullptr;
    std::uint32_t slot = 0;  ///< index of its function in PlanList::functions
    Kind kind = Kind::other;
    std::int32_t request = trace::kNone;  ///< request that it makes
    std::uint64_t bytes = 0;              ///< bytes that it sends
    Charge within;
    Charge between;
};

/// Plans by symbol, for all streams that share the meaning of symbols.
struct PlanList {
    std::vector<Plan> plans;
    std::vector<std::uint32_t> functions;  ///< functions that they call
    std::size_t receives = 0;              ///< number of plans that receive
    std::size_t requests = 0;              ///< largest number of simultaneous requests
};

/// The channel of a stream's calls with a symbol, which is always the same.
struct Link {
    std::uint32_t channel = kNothing;  ///< kNothing: there is no partner
    bool known = false;
    bool within = false;  ///< the partner is on the same node
    /// The action of Replayer::post_in_a_row: post a receive, or send an eager message to a rank of this part.
    enum class InRow : std::uint8_t { nothing, receive, send } in_row = InRow::nothing;
};

/// Sums over a function's calls.
struct CallSums {
    std::uint64_t calls = 0;
    double ns = 0;
    double waiting_ns = 0;
};

/// Gaps between two calls up to this length do not count as computation [ns].
inline constexpr double kNoComputation_ns = 1000;

/// A complete call.
struct CallSpan {
    Timestamp begin;
    double end_ns;
};

/// An actor with its own clock: a stream of calls, or a nonblocking collective (an agent). The first four cache lines
/// hold all data of calls that only post messages, or only wait for them.
struct alignas(64) Actor {
    Timestamp now;
    double scale = 1;                ///< factor of recorded computation
    std::uint64_t calls_before = 0;  ///< number of calls before the block
    std::uint32_t position = 0;      ///< position in the block
    std::uint32_t at = 0;            ///< index of the first need that is not met
    std::uint32_t symbol = 0;        ///< symbol of the current call
    bool in_call = false;
    bool in_collective = false;
    bool finished = false;
    bool is_agent = false;

    trace::BlockOfCalls block;

    std::vector<Need> needs;         ///< needs of the current call
    const PlanList* list = nullptr;  ///< list of the stream; for an agent, list of the call that started it
    Link* links = nullptr;           ///< indexed by symbol of the list
    CallSums* sums = nullptr;        ///< indexed by function of the list
    double call_waiting_ns = 0;      ///< waiting in the current call
    std::uint32_t number = 0;
    std::uint32_t rank = 0;

    Timestamp begin;  ///< start of the current call
    double compute_ns = 0;
    double waiting_ns = 0;
    double transfer_ns = 0;
    double overhead_ns = 0;

    Timestamp own_nic;                ///< NIC of an agent
    double deferred_ns = 0;           ///< computation that a send has overtaken
    std::uint64_t intervals = 0;      ///< number of computation intervals
    std::uint32_t stream = kNothing;  ///< kNothing for an agent
    std::uint32_t next_block = 0;
    std::uint32_t waiter = kNothing;  ///< actor that is parked until this agent is complete
    std::int32_t open = 0;  ///< number of incomplete messages that it sends or receives; counted as `calls` are
    std::unique_ptr<CollectivePart> part;
    std::vector<std::uint32_t> handshakes;  ///< handshakes in which this actor must act next, within a call
    std::vector<CallSpan> calls;  ///< calls since the first of `handshakes` started, if progress is within calls only

    /// The current call without parameters that vary.
    [[nodiscard]] const trace::Parameters& call() const { return list->plans[symbol].stored->signature.parameters; }

    void need(const Need& more) {
        if (!more.is_none()) needs.push_back(more);
    }
    void busy(double ns) {
        now.add_overhead(ns);
        overhead_ns += ns;
    }
    /// Advances the clock by a recorded time, for a call that is not replayed.
    void spend(double ns) {
        now.add(ns);
        overhead_ns += ns;
    }
    /// Idles until that timestamp; the time before the partner's start is waiting, the rest is transfer.
    void wait_until(const Timestamp& timestamp, double partner_ns) {
        const double idle_ns = timestamp.ns() - now.ns();
        if (idle_ns <= 0) return;
        const double idle_before_ns = std::clamp(partner_ns - now.ns(), 0.0, idle_ns);
        waiting_ns += idle_before_ns;
        call_waiting_ns += idle_before_ns;
        transfer_ns += idle_ns - idle_before_ns;
        now = timestamp;
    }
    /// Waits for its operations on that target of a window, or on all of them.
    void flush(Epochs& epochs, std::int32_t target) {
        mpi::flush(epochs.pending, target, [&](const Timestamp& over) { wait_until(over, 0); });
    }
};

using Actors = StableItems<Actor>;

/// Tags of messages that the program itself did not send.
inline constexpr std::int32_t kBlocking = -100;    ///< collectives; nonblocking ones count down from it
inline constexpr std::int32_t kMostAtOnce = 4096;  ///< largest number of these over one communicator

}  // namespace waywiser::simulate
