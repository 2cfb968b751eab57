#include "simulate/replayer.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace waywiser::simulate {

namespace {

/// The function must be inlined, because g++ 12 omits calls of functions that only prefetch.
[[gnu::always_inline]] inline void fetch(const void* begin, std::size_t lines) {
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(static_cast<const char*>(begin) + i * kLine, 1);
}

}  // namespace

Replayer::Replayer(Common& common, Part part, std::size_t parts)
    : common_(common),
      part_(part),
      settings_(common.settings),
      job_(common.job),
      functions_(common.functions),
      ranks_(common.ranks),
      reader_(common.calls.reader()),
      computation_(common),
      in_rows_(computation_.is_recorded() && !settings_.share_nic && !settings_.join_messages),
      messages_(common, part, parts, actors_, schedule_, remarks_) {
    add_streams();
}

void Replayer::add_streams() {
    std::size_t links = 0;
    std::size_t sums = 0;
    actors_.expect(part_.end - part_.first);
    std::size_t receives = 0;
    for (std::uint32_t rank = part_.first; rank < part_.end; ++rank) {
        for (std::size_t stream = common_.stream_begins[rank]; stream < common_.stream_begins[rank + 1]; ++stream) {
            const Actor& added = add_stream(rank, static_cast<std::uint32_t>(stream));
            if (added.list == nullptr) continue;
            links += added.list->plans.size();
            sums += added.list->functions.size();
            receives += added.list->receives;
        }
    }
    messages_.expect_channels(receives, part_.end - part_.first);
    streams_ = static_cast<std::uint32_t>(actors_.size());
    links_.resize(links);
    sums_.resize(sums);
    Link* link = links_.data();
    CallSums* sum = sums_.data();
    for (std::uint32_t number = 0; number < streams_; ++number) {
        Actor& actor = actors_[number];
        if (actor.list == nullptr) continue;
        actor.links = std::exchange(link, link + actor.list->plans.size());
        actor.sums = std::exchange(sum, sum + actor.list->functions.size());
    }
}

const Actor& Replayer::add_stream(std::uint32_t rank, std::uint32_t stream) {
    Actor& actor = actors_.add();
    actor.number = static_cast<std::uint32_t>(actors_.size() - 1);
    actor.rank = rank;
    actor.stream = stream;
    actor.scale = common_.scale[rank];
    if (job_.streams[stream].events > 0) {
        actor.list = &common_.plans[common_.calls.list_of(stream)];
        ranks_[rank].requests.expect(actor.list->requests);
    }
    schedule_.add();
    schedule_.enqueue(actor.number);
    return actor;
}

void Replayer::run_alone() {
    do {
        while (!schedule_.idle()) run_round();
    } while (messages_.go_on(locks_.next_ns()) || (!messages_.waits_for_calls() && next_lock()));
}

void Replayer::run_beside(Exchange& exchange) {
    for (;;) {
        if (!schedule_.idle()) run_round();
        messages_.hand_over(exchange);
        const bool idle = schedule_.idle();
        const std::vector<Letters> letters = exchange.collect(part_.number, idle);
        if (idle && letters.empty()) return;
        for (const Letters& batch : letters) messages_.take_in(batch);
    }
}

/// Prefetches data of ranks whose turn is soon: first the ranks, then the data to which they refer, and then the data
/// to which these refer.
[[gnu::always_inline]] inline void Replayer::look_ahead(std::span<const std::uint32_t> round) const {
    constexpr std::size_t kStep = 2;
    constexpr std::size_t kCalls = 14;
    if (3 * kStep < round.size()) fetch(&actors_[round[3 * kStep]], 4);
    if (2 * kStep < round.size()) {
        const Actor& actor = actors_[round[2 * kStep]];
        fetch(&ranks_[actor.rank], 1);
        fetch(actor.block.calls.data() + actor.position, 2);
        fetch(actor.links, 2);
        fetch(actor.sums, 2);
        fetch(actor.needs.data(), 2);
    }
    if (kStep >= round.size()) return;
    const Actor& actor = actors_[round[kStep]];
    fetch(ranks_[actor.rank].requests.data(), 2);
    const std::vector<trace::BlockOfCalls::Call>& calls = actor.block.calls;
    for (std::size_t i = actor.position; i < std::min(actor.position + kCalls, calls.size()); ++i) {
        if (!calls[i].is_full()) messages_.expect(actor.links[calls[i].what >> 1U].channel);
    }
}

/// Advances all runnable actors in turn; actors that are woken meanwhile come after them.
void Replayer::run_round() {
    std::vector<std::uint32_t>& round = schedule_.next_round();
    if (settings_.share_nic) {
        // This is roughly the order of time, in which messages occupy the NICs.
        std::ranges::sort(round, {}, [&](std::uint32_t number) { return std::pair(actors_[number].now.ns(), number); });
    }
    for (std::span<const std::uint32_t> left = round; !left.empty(); left = left.subspan(1)) {
        look_ahead(left);
        advance(left.front());
    }
}

/// Replays an actor until it finishes or must wait for others.
void Replayer::advance(std::uint32_t number) {
    Actor& actor = actors_[number];
    if (schedule_.is_parked(number)) stop_waiting(actor);
    while (!actor.finished) {
        if (!actor.in_call && !read_next(actor)) return finish(actor);
        if (settings_.join_messages && (actor.in_collective || !actor.needs.empty())) messages_.end_burst(actor);
        if (!meet_needs(actor)) return;
        end_call(actor);
    }
}

/// The parameters of a call with absolute ranks as peers. The reference is valid until the next call.
const trace::Parameters& Replayer::absolute(const Actor& actor, const trace::Parameters& parameters,
                                            std::uint32_t relative) {
    if (relative == 0)
        return parameters;  // NOLINT(bugprone-return-const-ref-from-parameter): of the trace, which lives on
    absolute_ = parameters;
    if ((relative & trace::kPlacedBySource) != 0) {
        common_.calls.place(actor.stream, relative, absolute_);
        return absolute_;
    }
    trace::OwnPlace own;
    if (const JobObject* over = common_.job_object(actor, parameters.object)) {
        own.rank =
            over->intercommunicator ? over->all.place(actor.rank) - over->own_begin : over->members.place(actor.rank);
        own.size = over->members.size();
    }
    trace::make_absolute(absolute_, relative, own);
    return absolute_;
}

bool Replayer::read_next(Actor& actor) {
    post_in_a_row(actor);
    if (actor.position == actor.block.calls.size() && !read_block(actor)) return false;
    const trace::BlockOfCalls::Call next = actor.block.calls[actor.position];
    const trace::FullCall* full = next.is_full() ? &actor.block.full[next.what >> 1U] : nullptr;
    const std::uint32_t symbol = full != nullptr ? full->symbol : next.what >> 1U;
    const double gap_ns = full != nullptr ? static_cast<double>(full->gap_ns) : next.gap_ns;
    const double before_ns = computation_.pass_gap(actor, symbol, gap_ns);
    if (settings_.join_messages && before_ns > kNoComputation_ns) messages_.end_burst(actor);
    ++actor.position;
    actor.in_call = true;
    actor.begin = actor.now;
    actor.call_waiting_ns = 0;
    actor.symbol = symbol;
    if (full == nullptr) {
        begin_planned(actor);
        return true;
    }
    const trace::StoredSignature& stored = *actor.list->plans[actor.symbol].stored;
    begin_call(actor,
               absolute(actor, full->varied ? full->own.parameters : stored.signature.parameters, stored.relative),
               {.begin_ns = 0, .end_ns = full->length_ns, .times = full->times, .polling_ns = full->polling_ns});
    return true;
}

bool Replayer::read_block(Actor& actor) {
    actor.calls_before += actor.block.calls.size();
    actor.position = 0;
    if (!reader_->read(actor.stream, actor.next_block++, actor.block)) return false;
    const std::uint64_t before_ns = actor.next_block == 1 ? common_.origin_ns : 0;
    recorded_compute_ns_ += actor.block.gaps_ns - std::min(before_ns, actor.block.gaps_ns);
    recorded_mpi_ns_ += actor.block.lengths_ns;
    return true;
}

/// Starts a call of which only the time varies between calls.
void Replayer::begin_planned(Actor& actor) {
    const Plan& plan = actor.list->plans[actor.symbol];
    const trace::Parameters& call = plan.stored->signature.parameters;
    if (plan.kind == Plan::Kind::other) return begin_call(actor, absolute(actor, call, plan.stored->relative), {});
    Need* request = make_request(actor, call.request);
    Link& link = actor.links[actor.symbol];
    if (!link.known) link = find_link(actor, plan);
    if (link.channel == kNothing) return;
    if (plan.kind == Plan::Kind::receive) {
        return need(actor, request, messages_.receive(actor, link.channel, actor.now));
    }
    const Charge& costs = link.within ? plan.within : plan.between;
    need(actor, request, messages_.send_joined(actor, link.channel, costs, plan.bytes));
}

Link Replayer::find_link(Actor& actor, const Plan& plan) {
    Link link{.known = true};
    const bool sends = plan.kind == Plan::Kind::send;
    const trace::Parameters& call = absolute(actor, plan.stored->signature.parameters, plan.stored->relative);
    if (const auto peer = messages_.peer_of(actor, call.object, sends ? call.peer : call.source)) {
        link.within = ranks_[*peer].node == ranks_[actor.rank].node;
        link.channel = messages_.channel({.group = common_.job_object(actor, call.object)->context,
                                          .tag = sends ? call.tag : call.source_tag,
                                          .source = sends ? actor.rank : *peer,
                                          .destination = sends ? *peer : actor.rank});
        const bool has_request = request_of(actor, plan.request) != nullptr;
        const bool eager = (link.channel & kAway) == 0 && (link.within ? plan.within : plan.between).eager;
        if (has_request && !sends) link.in_row = Link::InRow::receive;
        if (has_request && sends && eager) link.in_row = Link::InRow::send;
    }
    return link;
}

/// Executes calls that post a receive or send an eager message and end at once. Equivalent to `begin_planned`, but
/// without repeating work that is the same for all of them.
void Replayer::post_in_a_row(Actor& actor) {
    if (!in_rows_) return;
    const trace::BlockOfCalls::Call* const calls = actor.block.calls.data();
    const trace::BlockOfCalls::Call* const end = calls + actor.block.calls.size();
    const trace::BlockOfCalls::Call* next = calls + actor.position;
    RankState& rank = ranks_[actor.rank];
    Timestamp now = actor.now;
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
        CallSums& sums = actor.sums[plan.slot];
        ++sums.calls;
        const Timestamp begin = now;
        if (link.in_row == Link::InRow::receive) {
            request = messages_.receive(actor, link.channel, now);
        } else {
            const Charge& costs = link.within ? plan.within : plan.between;
            messages_.send_eager(now, rank.nic, link.channel, costs, plan.bytes);
            overhead_ns += costs.busy_ns;
            sums.ns += now.ns() - begin.ns();
        }
        messages_.end_call(actor, begin, now.ns());
    }
    actor.position = static_cast<std::uint32_t>(next - calls);
    actor.now = now;
    actor.compute_ns = compute_ns;
    actor.overhead_ns = overhead_ns;
}

void Replayer::end_call(Actor& actor) {
    actor.in_call = false;
    if (actor.is_agent) return finish(actor);
    messages_.end_call(actor, actor.begin, actor.now.ns());
    CallSums& sums = actor.sums[actor.list->plans[actor.symbol].slot];
    ++sums.calls;
    sums.ns += actor.now.ns() - actor.begin.ns();
    sums.waiting_ns += actor.call_waiting_ns;
}

void Replayer::finish(Actor& actor) {
    actor.finished = true;
    if (!actor.is_agent) --ranks_[actor.rank].running;
    schedule_.wake(actor.waiter);
}

/// The first among the actors that end last.
const Actor* Replayer::last() const {
    const Actor* latest = nullptr;
    for (std::uint32_t number = 0; number < streams_; ++number) {
        if (latest == nullptr || actors_[number].now.ns() > latest->now.ns()) latest = &actors_[number];
    }
    return latest;
}

void Replayer::add_to(Prediction& prediction, Remarks& remarks) const {
    for (std::uint32_t number = 0; number < streams_; ++number) {
        const Actor& actor = actors_[number];
        const std::int64_t rank = job_.ranks[actor.rank].rank;
        if (prediction.ranks.empty() || prediction.ranks.back().rank != rank)
            prediction.ranks.push_back({.rank = rank});
        RankTimes& times = prediction.ranks.back();
        times.end_ns = std::max(times.end_ns, actor.now.ns());
        times.compute_ns += actor.compute_ns;
        times.waiting_ns += actor.waiting_ns;
        times.transfer_ns += actor.transfer_ns;
        times.overhead_ns += actor.overhead_ns;
        for (std::size_t i = 0; actor.list != nullptr && i < actor.list->functions.size(); ++i) {
            const CallSums& sums = actor.sums[i];
            times.mpi_ns += sums.ns;
            FunctionTimes& function = prediction.functions[actor.list->functions[i]];
            function.calls += sums.calls;
            function.ns += sums.ns;
            function.waiting_ns += sums.waiting_ns;
        }
    }
    prediction.recorded.compute_ns += static_cast<double>(recorded_compute_ns_);
    prediction.recorded.mpi_ns += static_cast<double>(recorded_mpi_ns_);
    messages_.add_to(prediction);
    for (const auto& [text, times] : remarks_) remarks[text] += times;
}

}  // namespace waywiser::simulate
