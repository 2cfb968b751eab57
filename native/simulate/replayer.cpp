#include "simulate/replayer.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace waywiser::simulate {

namespace {

/// A number from 0 to 1 that depends on all of the arguments.
double chance(std::uint64_t seed, std::uint64_t rank, std::uint64_t number) {
    const std::uint64_t bits = scattered(scattered(scattered(seed) + rank) + number);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

}  // namespace

Replayer::Replayer(Common& common, Part part, std::size_t parts)
    : common_(common),
      part_(part),
      settings_(common.settings),
      job_(common.job),
      functions_(common.functions),
      objects_(common.objects),
      wanted_(common.wanted),
      rules_(common.rules),
      world_(common.world),
      everybody_(common.everybody),
      ranks_(common.ranks),
      reader_(common.calls.reader()),
      quiet_(settings_.noise.exponential == 0 && settings_.noise.samples.empty()),
      letters_(parts),
      incoming_(parts),
      cards_(common.nodes) {
    if (settings_.interconnect) contention_ = std::make_unique<Contention>(*settings_.interconnect);
    for (std::uint32_t rank = part.first; rank < part.end; ++rank) {
        if (contention_) check_node(rank);
        for (std::size_t stream = common.stream_begins[rank]; stream < common.stream_begins[rank + 1]; ++stream) {
            add_stream(rank, static_cast<std::uint32_t>(stream));
        }
    }
    missing_.resize(actors_.size());
}

void Replayer::check_node(std::uint32_t rank) const {
    const std::int64_t nodes = contention_->network().topology().node_count();
    require(ranks_[rank].node >= 0 && ranks_[rank].node < nodes,
            "interconnect: its nodes are 0 to " + std::to_string(nodes - 1) + ", but rank " +
                std::to_string(job_.ranks[rank].rank) + " is on node " + std::to_string(ranks_[rank].node));
}

void Replayer::add_stream(std::uint32_t rank, std::uint32_t stream) {
    auto actor = std::make_unique<Actor>();
    actor->number = static_cast<std::uint32_t>(actors_.size());
    actor->rank = rank;
    actor->stream = stream;
    if (job_.streams[stream].events > 0) {
        actor->list = &common_.plans[common_.calls.list_of(stream)];
        actor->links.resize(actor->list->plans.size());
        actor->sums.resize(actor->list->functions.size());
    }
    actor->times.rank = job_.streams[stream].rank;
    runnable_.push_back(actor->number);
    actors_.push_back(std::move(actor));
}

void Replayer::run_alone() {
    do {
        while (!runnable_.empty()) run_round();
    } while (next_event());
}

void Replayer::run_beside(Exchange& exchange) {
    for (;;) {
        if (!runnable_.empty()) run_round();
        hand_over(exchange);
        const bool idle = runnable_.empty();
        const std::vector<Letters> letters = exchange.collect(part_.number, idle);
        if (idle && letters.empty()) return;
        for (const Letters& one : letters) take_in(one);
    }
}

/// All who can go on do, in turn: those who are woken meanwhile come after them.
void Replayer::run_round() {
    constexpr std::size_t kFar = 6;
    constexpr std::size_t kNear = 2;
    round_.swap(runnable_);
    if (settings_.share_card) {
        // About the order of time, in which messages ask for the cards.
        std::ranges::sort(round_, {}, [&](std::uint32_t number) { return std::pair(actors_[number]->now.ns, number); });
    }
    for (std::size_t i = 0; i < round_.size(); ++i) {
        if (i + kFar < round_.size()) fetch(*actors_[round_[i + kFar]]);
        if (i + kNear < round_.size()) look_ahead(*actors_[round_[i + kNear]]);
        advance(round_[i]);
    }
    round_.clear();
}

/// As far as it can go.
void Replayer::advance(std::uint32_t number) {
    Actor& actor = *actors_[number];
    missing_[number] = 0;
    while (!actor.finished) {
        if (!actor.in_call && !read_next(actor)) return finish(actor);
        if (!meet_needs(actor)) return;
        end_call(actor);
    }
}

/// With peers as ranks of their groups. Valid until the next one.
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
    if (const RankObject* over = numbered(ranks_[actor.rank].objects, parameters.object)) {
        const JobObject& object = objects_[over->job_object];
        own.rank = object.intercommunicator ? object.all.place(actor.rank) - object.own_begin
                                            : object.members.place(actor.rank);
        own.size = object.members.size();
    }
    trace::make_absolute(absolute_, relative, own);
    return absolute_;
}

void Replayer::compute(Actor& actor, double recorded_ns) {
    const double ns = computing_ns(actor, recorded_ns);
    actor.now.ns += ns;
    actor.times.compute_ns += ns;
}

bool Replayer::read_next(Actor& actor) {
    post_in_a_row(actor);
    if (actor.position == actor.block.calls.size()) {
        actor.position = 0;
        if (!reader_->read(actor.stream, actor.next_block++, actor.block)) return false;
        const std::uint64_t before_ns = actor.next_block == 1 ? common_.origin_ns : 0;
        recorded_compute_ns_ += actor.block.gaps_ns - std::min(before_ns, actor.block.gaps_ns);
        recorded_mpi_ns_ += actor.block.lengths_ns;
    }
    const trace::BlockOfCalls::Call& next = actor.block.calls[actor.position++];
    const trace::FullCall* full = next.is_full() ? &actor.block.full[next.what >> 1U] : nullptr;
    compute(actor, before_call_ns(actor, full != nullptr ? static_cast<double>(full->gap_ns) : next.gap_ns));
    ++actor.calls_read;
    actor.in_call = true;
    actor.begin = actor.now;
    actor.call_waiting_ns = 0;
    if (full == nullptr) {
        begin_planned(actor, next.what >> 1U);
        return true;
    }
    const Plan& plan = actor.list->plans[full->symbol];
    const trace::StoredSignature& what = *plan.what;
    const trace::Parameters& call =
        absolute(actor, full->varied ? full->own.parameters : what.signature.parameters, what.relative);
    actor.function = call.function;
    actor.site = call.site;
    actor.slot = plan.slot;
    begin_call(actor, call,
               {.begin_ns = 0, .end_ns = full->length_ns, .times = full->times, .polling_ns = full->polling_ns});
    return true;
}

/// What the rank computes before its next call.
double Replayer::before_call_ns(const Actor& actor, double recorded_ns) const {
    const std::uint64_t number = actor.calls_read;
    // All clocks begin with the first call of all.
    if (number == 0) return static_cast<double>(job_.streams[actor.stream].begin_ns - common_.origin_ns);
    return number < common_.gaps_ns.size() ? common_.gaps_ns[number] : recorded_ns;
}

/// Calls that post a message and are over at once: what does not depend on them need not be asked for each.
void Replayer::post_in_a_row(Actor& actor) {
    if (!settings_.asynchronous) return;  // handshakes ask what call a rank is in
    const std::span<const trace::BlockOfCalls::Call> calls = actor.block.calls;
    std::vector<Request>& requests = ranks_[actor.rank].requests;
    for (; actor.position < calls.size(); ++actor.position) {
        const trace::BlockOfCalls::Call& next = calls[actor.position];
        const std::uint32_t symbol = next.what >> 1U;
        if (next.is_full() || !actor.list->plans[symbol].posts) return;
        const Plan& plan = actor.list->plans[symbol];
        compute(actor, before_call_ns(actor, next.gap_ns));
        ++actor.calls_read;
        const double begin_ns = actor.now.ns;
        const Need needs = post_planned(actor, plan, symbol);
        Request* request = numbered(requests, plan.request);
        if (request == nullptr || request->prepared) request = make_request(actor, plan.request);
        if (request != nullptr) {
            request->first = needs;
            request->second = {};
        }
        const double ns = actor.now.ns - begin_ns;
        actor.times.mpi_ns += ns;
        CallSums& sums = actor.sums[plan.slot];
        ++sums.calls;
        sums.ns += ns;
    }
}

void Replayer::fetch(const Actor& actor) {
    constexpr std::size_t kLine = 64;
    const char* begin = reinterpret_cast<const char*>(&actor);
    for (std::size_t at = 0; at < sizeof actor; at += kLine) __builtin_prefetch(begin + at, 1);
}

/// What the actor's next calls touch of others' is far away.
void Replayer::look_ahead(const Actor& actor) const {
    constexpr std::size_t kCalls = 12;
    const std::vector<trace::BlockOfCalls::Call>& calls = actor.block.calls;
    for (std::size_t i = actor.position; i < std::min(actor.position + kCalls, calls.size()); ++i) {
        if (calls[i].is_full()) continue;
        const std::uint32_t channel = actor.links[calls[i].what >> 1U].channel;
        if ((channel & kAway) == 0) channels_.expect(channel);
    }
    for (const Need& need : actor.needs) {
        if (need.kind == Need::Kind::message) channels_.expect(need.index);
    }
}

void Replayer::begin_planned(Actor& actor, std::uint32_t symbol) {
    const Plan& plan = actor.list->plans[symbol];
    const trace::Parameters& call = plan.what->signature.parameters;
    actor.function = call.function;
    actor.site = call.site;
    actor.slot = plan.slot;
    if (plan.kind == Plan::Kind::other) {
        begin_call(actor, absolute(actor, call, plan.what->relative), {});
    } else {
        Request* request = make_request(actor, call.request);
        need(actor, request, post_planned(actor, plan, symbol));
    }
}

double Replayer::computing_ns(Actor& actor, double recorded_ns) const {
    const double ns = recorded_ns * common_.scale[actor.rank];
    if (quiet_) return ns;
    const Noise& noise = settings_.noise;
    const double drawn = chance(noise.seed, static_cast<std::uint64_t>(actor.times.rank), actor.intervals++);
    if (noise.samples.empty()) return ns * (1 - noise.exponential * std::log1p(drawn - 1));
    return ns * (1 + noise.samples[static_cast<std::size_t>(drawn * static_cast<double>(noise.samples.size()))]);
}

bool Replayer::meet_needs(Actor& actor) {
    for (;;) {
        for (; actor.at < actor.needs.size(); ++actor.at) {
            if (!met(actor, actor.needs[actor.at])) return await_needs(actor);
        }
        actor.needs.clear();
        actor.at = 0;
        if (!actor.in_play) return true;
        play_on(actor);
    }
}

/// Has the actor woken once, when all of its needs can be met. \return false: it is parked
bool Replayer::await_needs(Actor& actor) {
    if (!settings_.asynchronous) proceed_while_parked(actor);
    for (std::size_t i = actor.at; i < actor.needs.size(); ++i) {
        // What it waited for in vain may still name it.
        std::uint32_t* waiter = what_wakes(actor.needs[i]);
        if (waiter != nullptr && *waiter == actor.number) *waiter = kNothing;
    }
    for (std::size_t i = actor.at; i < actor.needs.size(); ++i) {
        std::uint32_t* waiter = what_wakes(actor.needs[i]);
        if (waiter == nullptr || *waiter == actor.number) continue;
        if (*waiter != kNothing) crowded_.push_back(*waiter);  // two threads of a rank
        *waiter = actor.number;
        ++missing_[actor.number];
    }
    if (missing_[actor.number] == 0) runnable_.push_back(actor.number);
    return false;
}

/// Where an actor is named that is to be told; null if the need can be met.
std::uint32_t* Replayer::what_wakes(const Need& need) {
    switch (need.kind) {
        case Need::Kind::message: {
            Channel& channel = channels_[need.index];
            if (need.number >= channel.sent) return &channel.waiter;
            const std::uint32_t handshake = channel.message(need.number).handshake;
            return handshake == kNothing ? nullptr : &handshakes_[handshake].receiver;
        }
        case Need::Kind::sent:
            return handshakes_[need.index].stage == Handshake::Stage::over ? nullptr : &handshakes_[need.index].sender;
        case Need::Kind::agent: return actors_[need.index]->finished ? nullptr : &actors_[need.index]->waiter;
        case Need::Kind::reduction: {
            Reduction& reduction = reductions_[need.index];
            return reduction.missing == 0 ? nullptr : &reduction.waiters[need.number];
        }
        default: return nullptr;
    }
}

bool Replayer::met(Actor& actor, const Need& need) {
    if (need.kind == Need::Kind::none) return true;
    if (what_wakes(need) != nullptr) return false;
    switch (need.kind) {
        case Need::Kind::message: take(actor, channels_[need.index], need.number); break;
        case Need::Kind::moment: wait_until(actor, moments_[need.index], 0); break;
        case Need::Kind::sent:
            wait_until(actor, handshakes_[need.index].left, handshakes_[need.index].posted_ns);
            free_handshakes_.push_back(need.index);
            --actor.open;
            break;
        case Need::Kind::agent: {
            const Actor& agent = *actors_[need.index];
            wait_until(actor, agent.now, agent.now.ns - agent.times.transfer_ns);
            free_agents_.push_back(need.index);
            break;
        }
        case Need::Kind::reduction: take_result(actor, need); break;
        case Need::Kind::none: break;
    }
    return true;
}

void Replayer::end_call(Actor& actor) {
    actor.in_call = false;
    if (actor.stream == kNothing) return finish(actor);
    const double ns = actor.now.ns - actor.begin.ns;
    actor.times.mpi_ns += ns;
    if (!settings_.asynchronous) remember_call(actor);
    CallSums& sums = actor.sums[actor.slot];
    ++sums.calls;
    sums.ns += ns;
    sums.waiting_ns += actor.call_waiting_ns;
}

void Replayer::finish(Actor& actor) {
    actor.finished = true;
    if (actor.stream != kNothing) --ranks_[actor.rank].running;
    wake(actor.waiter);
}

/// \return whether there is an actor that can go on now
bool Replayer::wake(std::uint32_t& waiter) {
    const std::uint32_t number = std::exchange(waiter, kNothing);
    if (number == kNothing || missing_[number] == 0) return false;
    if (--missing_[number] > 0) return false;
    runnable_.push_back(number);
    return true;
}

/// Who ends last, and of these the first.
const Actor* Replayer::last() const {
    const Actor* found = nullptr;
    for (const auto& actor : actors_) {
        if (actor->stream != kNothing && (found == nullptr || actor->now.ns > found->now.ns)) found = actor.get();
    }
    return found;
}

void Replayer::add_to(Prediction& found, Remarks& remarks) const {
    for (const auto& actor : actors_) {
        if (actor->stream == kNothing) continue;
        if (found.ranks.empty() || found.ranks.back().rank != actor->times.rank) {
            found.ranks.push_back({.rank = actor->times.rank});
        }
        RankTimes& sum = found.ranks.back();
        sum.end_ns = std::max(sum.end_ns, actor->now.ns);
        sum.compute_ns += actor->times.compute_ns;
        sum.mpi_ns += actor->times.mpi_ns;
        sum.waiting_ns += actor->times.waiting_ns;
        sum.transfer_ns += actor->times.transfer_ns;
        sum.overhead_ns += actor->times.overhead_ns;
        for (std::size_t i = 0; i < actor->sums.size(); ++i) {
            FunctionTimes& function = found.functions[actor->list->functions[i]];
            function.calls += actor->sums[i].calls;
            function.ns += actor->sums[i].ns;
            function.waiting_ns += actor->sums[i].waiting_ns;
        }
    }
    found.recorded.compute_ns += static_cast<double>(recorded_compute_ns_);
    found.recorded.mpi_ns += static_cast<double>(recorded_mpi_ns_);
    found.messages += messages_;
    found.bytes += bytes_;
    for (const auto& [what, times] : remarks_) remarks[what] += times;
}

}  // namespace waywiser::simulate
