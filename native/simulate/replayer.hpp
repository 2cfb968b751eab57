/// The replay at work: every rank runs ahead until it needs a message that has not been sent yet.
///
/// Unless ranks share a resource, the time of a message follows from the times of its two ends, whatever else happens.
/// Ranks are then a network of processes that block on their inputs, and the order in which they are evaluated changes
/// nothing (G. Kahn, "The semantics of a simple language for parallel programming", IFIP 1974). So there is no queue of
/// events: a rank that lacks a message is parked, and woken once by the sender.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulate/collective_replayer.hpp"
#include "simulate/computation.hpp"
#include "simulate/window_locks.hpp"

namespace waywiser::simulate {

/// Evaluates a part of the ranks.
class Replayer {
public:
    Replayer(Common& common, Part part, std::size_t parts);

    /// Replays the part until its ranks need other parts.
    void run_alone();

    /// Replays the part beside the others until none can continue.
    void run_beside(Exchange& exchange);

    /// Adds the times of its ranks, after those of preceding parts.
    ///
    /// \param prediction  prediction with all functions of the job, in its order
    void add_to(Prediction& prediction, Remarks& remarks) const;
    [[nodiscard]] const Actor* last() const;
    [[nodiscard]] LinkUse link_use(double makespan_ns) const { return messages_.link_use(makespan_ns); }

    // Stalls (stalls.cpp).
    [[nodiscard]] std::vector<Actor*> parked();
    [[nodiscard]] double quiet_until_ns() const { return std::min(locks_.next_ns(), messages_.quiet_until_ns()); }
    /// \param quiet_ns  minimum over all parts
    /// \return true if any actor continues
    [[nodiscard]] bool resume(double quiet_ns);
    [[nodiscard]] bool waits_in_vain(Actor& actor);
    [[nodiscard]] std::string describe(Actor& actor);
    void let_go(Actor& actor);
    [[nodiscard]] std::optional<Unmatched> unmatched() const { return messages_.unmatched(); }
    [[nodiscard]] std::string sending_call(const ChannelKey& key) const;

private:
    // The schedule (replayer.cpp).
    void add_streams();
    const Actor& add_stream(std::uint32_t rank, std::uint32_t stream);
    void run_round();
    void advance(std::uint32_t actor);
    [[nodiscard]] bool read_next(Actor& actor);
    [[nodiscard]] bool read_block(Actor& actor);
    void post_in_a_row(Actor& actor);
    void begin_planned(Actor& actor);
    [[nodiscard]] Link find_link(Actor& actor, const Plan& plan);
    [[nodiscard]] const trace::Parameters& absolute(const Actor& actor, const trace::Parameters& parameters,
                                                    std::uint32_t relative);
    void end_call(Actor& actor);
    void finish(Actor& actor);
    void remark(const std::string& text) { ++remarks_[text]; }

    /// \param round  actors from the current one on
    void look_ahead(std::span<const std::uint32_t> round) const;

    // Needs of calls (needs.cpp).
    [[nodiscard]] bool meet_needs(Actor& actor);
    [[nodiscard]] bool met(Actor& actor, const Need& need);
    [[nodiscard]] bool await_needs(Actor& actor);
    void stop_waiting(Actor& actor);
    [[nodiscard]] std::uint32_t* what_wakes(const Need& need);

    // Effects of calls (calls.cpp).
    void begin_call(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    void post(Actor& actor, const Description& described, Need* request);
    void start_collective(Actor& actor, const Description& described, Need* request);
    std::uint32_t make_agent(const Actor& actor);
    void need(Actor& actor, Need* request, const Need& need);
    void complete(Actor& actor, const trace::Parameters& call);
    void complete_special(Actor& actor, Need& request, const trace::Completion& done);
    void probe(Actor& actor, const trace::Parameters& call);
    void cancel(Actor& actor, std::int32_t number);
    void make_ready(Actor& actor, const trace::Parameters& call);
    [[nodiscard]] bool polls(Actor& actor, const trace::Parameters& call, const trace::TracedCall& times);
    Need* request_of(const Actor& actor, std::int32_t number) { return ranks_[actor.rank].requests.find(number); }
    /// Resets a request to complete; null if no request can have that number.
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

    // Windows (windows.cpp).
    void operate(Actor& actor, const trace::Parameters& call);
    void synchronise(Actor& actor, const trace::Parameters& call);
    struct EpochCall;
    [[nodiscard]] bool next_lock();

    [[nodiscard]] std::optional<std::uint32_t> partner_of(Actor& actor);
    [[nodiscard]] std::string rank_name(std::uint32_t index) const;
    [[nodiscard]] std::string in_call(const trace::Parameters& call) const;

    Common& common_;
    const Part part_;
    // The following are shared by all parts.
    const Settings& settings_;
    const trace::TraceJob& job_;
    const std::vector<Function>& functions_;
    LargeVector<RankState>& ranks_;

    std::unique_ptr<trace::CallReader> reader_;
    const Computation computation_;
    const bool in_rows_;  ///< calls that post an eager message or a receive need no further work
    trace::Parameters absolute_;
    Actors actors_;  ///< actors of the streams, followed by agents
    std::uint32_t streams_ = 0;
    LargeVector<Link> links_;     ///< links of all streams
    LargeVector<CallSums> sums_;  ///< sums of all streams
    std::vector<std::uint32_t> free_agents_;
    Schedule schedule_;
    Remarks remarks_;
    PointToPoint messages_;
    CollectiveReplayer collectives_{common_, messages_, schedule_, remarks_};
    Pool<std::deque<SpecialRequest>> special_requests_;
    std::vector<Timestamp> timestamps_;  ///< times of requests on windows
    WindowLocks locks_;
    std::uint64_t recorded_compute_ns_ = 0;
    std::uint64_t recorded_mpi_ns_ = 0;
};

}  // namespace waywiser::simulate
