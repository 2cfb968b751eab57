#include "virtual/collectives.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace waywiser::virtual_clocks {

using collectives::kNobody;
using collectives::Move;
using collectives::Stage;

namespace {

/// \param nodes  nodes of the ranks of a blocking collective; none: it does not block
collectives::Stages stages_of(const Collective& call, int ranks, Rules rules, const collectives::Nodes* nodes) {
    collectives::Operation operation =
        collectives::operation_of(call.kind, call.operation, ranks, call.root, call.bytes());
    operation.nodes = nodes;
    return collectives::stages_of(rules, call.kind, call.operation, operation, nodes == nullptr);
}

/// One rank's part of a collective: simulated round by round, as in the replay
/// (native/simulate/collective_replayer.cpp).
class Part {
public:
    Part(const Clock& clock, int rank, std::vector<Move> moves)
        : clock_(clock), rank_(rank), moves_(std::move(moves)) {}

    /// \param partners  provide put() and take() for stamps, and grant() and granted() for long messages. A stamp that
    ///     has not arrived is none.
    /// \return true if the part is complete; otherwise a partner must continue first
    template <class Partners>
    [[nodiscard]] bool advance(Partners& partners, const Charges& charges) {
        for (;;) {
            if (!has_started_) {
                if (at_ == moves_.size()) return true;
                begin_round(partners, charges);
            }
            if (!hear(partners, charges)) return false;
            end_round();
        }
    }

    [[nodiscard]] const Clock& clock() const { return clock_; }

private:
    /// A move in progress.
    struct Pending {
        int to = kNobody;
        int from = kNobody;
        double posted_ns = 0;
        double left_ns = 0;
        machine::Charge sent_charge = {};
        Stamp sent = {};
        std::optional<double> granted_ns;
        machine::Charge charge = {};
        std::optional<Stamp> received;
    };

    template <class Partners>
    void begin_round(Partners& partners, const Charges& charges) {
        has_started_ = true;
        const int round = moves_[at_].round;
        for (; at_ < moves_.size() && moves_[at_].round == round; ++at_) {
            const Move& move = moves_[at_];
            Pending pending;
            pending.to = move.to;
            pending.from = move.from;
            pending.posted_ns = clock_.now_ns;
            if (move.to != kNobody) {
                pending.sent_charge = charges(rank_, move.to, move.sent_bytes);
                pending.sent = send(clock_, pending.sent_charge, move.sent_bytes, pending.left_ns);
                partners.put(move.to, pending.sent);
            }
            pending_.push_back(pending);
        }
    }

    /// Posts all receives of a round, because long messages may arrive in any order.
    template <class Partners>
    [[nodiscard]] bool hear(Partners& partners, const Charges& charges) {
        for (Pending& pending : pending_) {
            if (pending.from == kNobody || pending.received) continue;
            pending.received = partners.take(pending.from);
            if (!pending.received) return false;
            pending.charge = charges(pending.from, rank_, pending.received->bytes);
            if (pending.received->handshake != 0) partners.grant(pending.from, pending.posted_ns);
        }
        for (Pending& pending : pending_) {
            if (pending.to == kNobody || pending.sent.handshake == 0 || pending.granted_ns) continue;
            pending.granted_ns = partners.granted(pending.to);
            if (!pending.granted_ns) return false;
        }
        return true;
    }

    void end_round() {
        for (const Pending& pending : pending_) {
            if (pending.received) receive(clock_, pending.charge, *pending.received, pending.posted_ns);
            if (pending.granted_ns) {
                clock_.wait_until(left_ns(pending.sent_charge, pending.sent, *pending.granted_ns), *pending.granted_ns);
            } else {
                clock_.wait_until(pending.left_ns, 0);
            }
        }
        pending_.clear();
        has_started_ = false;
    }

    Clock clock_;
    int rank_;
    std::vector<Move> moves_;
    std::size_t at_ = 0;
    bool has_started_ = false;  ///< true if a round has begun
    std::vector<Pending> pending_;
};

/// The ranks of a communicator, each of which simulates its own part.
class Elsewhere {
public:
    explicit Elsewhere(ShadowCommunicator& shadow) : shadow_(shadow) {}

    void put(int to, const Stamp& stamp) { shadow_.send(to, ShadowCommunicator::Kind::step, stamp); }
    std::optional<Stamp> take(int from) { return shadow_.receive(from, ShadowCommunicator::Kind::step); }
    void grant(int to, double posted_ns) { shadow_.send(to, ShadowCommunicator::Kind::grant, {.sent_ns = posted_ns}); }
    std::optional<double> granted(int by) { return shadow_.receive(by, ShadowCommunicator::Kind::grant).sent_ns; }

private:
    ShadowCommunicator& shadow_;
};

/// All ranks of a collective, simulated by one rank.
class AllRanks {
public:
    AllRanks(const std::vector<Start>& starts, const Charges& charges, Rules rules, const Collective& call)
        : charges_(charges) {
        const auto ranks = static_cast<int>(starts.size());
        for (int rank = 0; rank < ranks; ++rank) {
            const Start& start = starts[static_cast<std::size_t>(rank)];
            Collective own = call;
            own.sent = start.sent;
            own.posted = start.posted;
            parts_.emplace_back(Clock{.now_ns = start.now_ns, .nic_ns = start.nic_ns}, rank,
                                collectives::moves(stages_of(own, ranks, rules, nullptr), rank));
            ready_.push_back(rank);
        }
        while (!ready_.empty()) {
            rank_ = ready_.front();
            ready_.pop_front();
            // The receiver of a notification continues; other ranks cannot.
            static_cast<void>(parts_[static_cast<std::size_t>(rank_)].advance(*this, charges_));
        }
    }

    [[nodiscard]] double end_ns(int rank) const { return parts_[static_cast<std::size_t>(rank)].clock().now_ns; }

    void put(int to, const Stamp& stamp) { tell(stamps_, to, stamp); }
    std::optional<Stamp> take(int from) { return hear(stamps_, from); }
    void grant(int to, double posted_ns) { tell(grants_, to, posted_ns); }
    std::optional<double> granted(int by) { return hear(grants_, by); }

private:
    template <class Value>
    using InFlight = std::map<std::pair<int, int>, std::deque<Value>>;

    template <class Value>
    void tell(InFlight<Value>& values, int to, const Value& value) {
        values[{rank_, to}].push_back(value);
        if (ready_.empty() || ready_.back() != to) ready_.push_back(to);
    }

    template <class Value>
    std::optional<Value> hear(InFlight<Value>& values, int from) {
        std::deque<Value>& queue = values[{from, rank_}];
        if (queue.empty()) return std::nullopt;
        const Value value = queue.front();
        queue.pop_front();
        return value;
    }

    const Charges& charges_;
    std::vector<Part> parts_;
    std::deque<int> ready_;
    int rank_ = 0;  ///< rank that continues next
    InFlight<Stamp> stamps_;
    InFlight<double> grants_;
};

double closed_form_ns(const std::vector<Start>& starts, const Charges& charges, const collectives::Stages& stages) {
    Clock clock;
    for (const Start& start : starts) clock.now_ns = std::max(clock.now_ns, start.now_ns);
    for (const Stage& stage : stages) {
        const collectives::Cost cost = stage.algorithm->cost(stage.operation);
        const machine::Charge charge = charges(0, 1, cost.bytes / std::max<std::uint64_t>(cost.messages, 1));
        for (int round = 0; round < cost.rounds; ++round) {
            double left_ns = 0;
            const double begin_ns = clock.now_ns;
            const Stamp stamp = send(clock, charge, 0, left_ns);
            receive(clock, charge, stamp, begin_ns);
        }
    }
    return clock.now_ns;
}

}  // namespace

void simulate(Clock& clock, ShadowCommunicator& shadow, const Charges& charges, Rules rules, const Collective& call) {
    const int rank = shadow.rank();
    Part part(clock, rank, collectives::moves(stages_of(call, shadow.size(), rules, &shadow.nodes()), rank));
    Elsewhere partners(shadow);
    static_cast<void>(part.advance(partners, charges));  // Partners must continue first.
    clock = part.clock();
}

double simulate_alone(const std::vector<Start>& starts, int rank, const Charges& charges, Rules rules,
                      const Collective& call) {
    const auto ranks = static_cast<int>(starts.size());
    Collective alike = call;
    alike.shares.clear();  // In an alltoall each rank knows only its own sizes, so that the mean is used.
    if (call.kind == collectives::Collective::scatter && collectives::lengths_differ(call.kind, call.operation, {})) {
        for (const Start& start : starts) alike.shares.push_back(start.posted);
    }
    const collectives::Stages stages = stages_of(alike, ranks, rules, nullptr);
    std::uint64_t messages = 0;
    for (const Stage& stage : stages) messages += stage.algorithm->cost(stage.operation).messages;
    if (messages > kMostStepsAlone) return closed_form_ns(starts, charges, stages);
    return AllRanks(starts, charges, rules, alike).end_ns(rank);
}

}  // namespace waywiser::virtual_clocks
