#include "simulate/replayer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "collectives/calls.hpp"

namespace waywiser::simulate {

using collectives::Collective;

namespace {

/// A number from 0 to 1 that depends on all of the arguments.
double chance(std::uint64_t seed, std::uint64_t rank, std::uint64_t number) {
    const std::uint64_t bits = scattered(scattered(scattered(seed) + rank) + number);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

}  // namespace

bool keeps_length(const trace::Parameters& call) {
    using trace::Action;
    switch (call.action) {
        case Action::none:
        case Action::initialise:
        case Action::make_object:
        case Action::free_object:
        case Action::free_request:
        case Action::file:
        case Action::file_collective:
        case Action::phase: return true;
        case Action::complete: return call.completed.empty();
        default: return !call.found;
    }
}

void Settings::check() const {
    require(!interconnect || !share_card,
            "share_card: expected false with an interconnect, whose speeds say what a card gives");
    within.check("within");
    between.check("between");
    require(std::isfinite(cpu) && cpu > 0, "cpu: expected how many times as fast, more than 0");
    require(noise.exponential >= 0 && std::isfinite(noise.exponential), "noise: expected a mean delay of 0 or more");
    for (const double sample : noise.samples) {
        require(sample >= 0 && std::isfinite(sample), "noise: expected delays of 0 or more");
    }
    require(noise.samples.empty() || noise.exponential == 0, "noise: expected a distribution or samples, found both");
    require(threads == 1, "threads: expected 1, found " + std::to_string(threads));
    for (const auto& [name, wanted] : collectives) {
        const collectives::Algorithm& found = collectives::algorithm(collectives::collective_named(name), wanted);
        require(found.switches == nullptr, std::string("collectives: '")
                                               .append(wanted)
                                               .append("' of ")
                                               .append(name)
                                               .append(" runs in the switches, which are not replayed"));
    }
}

Replayer::Replayer(const trace::TraceJob& job, trace::CallSource& calls, const Settings& settings)
    : settings_(settings), job_(job), objects_(job_objects(job_)), blocks_(calls) {
    settings.check();
    if (settings.interconnect) contention_ = std::make_unique<Contention>(*settings.interconnect);
    for (const auto& [name, wanted] : settings.collectives) {
        const Collective collective = collectives::collective_named(name);
        wanted_[collective] = &collectives::algorithm(collective, wanted);
    }
    rules_ = collectives::rules_of(settings.library);
    if (!rules_ && !settings.library.empty()) {
        remark("which algorithms " + settings.library +
               " would select is not known: collectives that are not given one use the first of the table that "
               "supports them");
    }
    for (const std::string& name : job_.functions) {
        const std::string operation = trace::operation_of(name);
        functions_.push_back({.role = trace::call_role(name),
                              .operation = operation,
                              .collective = collectives::collective_of(operation)});
        function_times_.push_back({.name = name});
    }
    for (const JobObject& object : objects_) world_ = std::max(world_, object.context + 1);
    std::vector<std::int32_t> everybody(job_.ranks.size());
    std::iota(everybody.begin(), everybody.end(), 0);
    everybody_ = Group({{.first = 0, .stride = 1, .count = static_cast<std::int64_t>(everybody.size())}}, everybody);
    ranks_.resize(job_.ranks.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const auto world_rank = static_cast<std::size_t>(job_.ranks[i].rank);
        require(settings.node_of_rank.empty() || world_rank < settings.node_of_rank.size(),
                "node_of_rank: expected the nodes of " + std::to_string(job_.world_size) + " ranks, found " +
                    std::to_string(settings.node_of_rank.size()));
        ranks_[i].node = settings.node_of_rank.empty() ? job_.ranks[i].host : settings.node_of_rank[world_rank];
        if (contention_) {
            const std::int64_t nodes = contention_->network().topology().node_count();
            require(ranks_[i].node >= 0 && ranks_[i].node < nodes,
                    "interconnect: its nodes are 0 to " + std::to_string(nodes - 1) + ", but rank " +
                        std::to_string(world_rank) + " is on node " + std::to_string(ranks_[i].node));
        }
        for (const std::uint32_t object : job_.ranks[i].objects) {
            ranks_[i].objects.push_back({.job_object = object, .epochs = nullptr, .neighbours = nullptr});
        }
        incomplete_ =
            incomplete_ || job_.ranks[i].dropped_calls > 0 || job_.ranks[i].ending != trace::Ending::finalised;
    }
    incomplete_ = incomplete_ || !job_.lost.empty() ||
                  job_.ranks.size() != static_cast<std::size_t>(std::max<std::int64_t>(job_.world_size, 0));
    make_plans();
    number_cards();
    origin_ns_ = std::numeric_limits<std::uint64_t>::max();
    for (const trace::TraceStream& stream : job_.streams) {
        if (stream.events > 0) origin_ns_ = std::min(origin_ns_, stream.begin_ns);
    }
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < job_.streams.size(); ++i) {
        while (job_.ranks[rank].rank != job_.streams[i].rank) ++rank;
        auto actor = std::make_unique<Actor>();
        actor->number = static_cast<std::uint32_t>(i);
        actor->rank = rank;
        actor->stream = static_cast<std::uint32_t>(i);
        if (job_.streams[i].events > 0) actor->plans = &plans_[blocks_.list_of(i)];
        if (actor->plans != nullptr) actor->links.resize(actor->plans->size());
        actor->times.rank = job_.streams[i].rank;
        ++ranks_[rank].running;
        actors_.push_back(std::move(actor));
    }
    scale_.assign(ranks_.size(), 1 / settings.cpu);
    if (settings.balanced) make_balance();
    missing_.resize(actors_.size());
    for (std::size_t i = 0; i < actors_.size(); ++i) runnable_.push_back(static_cast<std::uint32_t>(i));
}

Prediction Replayer::run() {
    do {
        while (!runnable_.empty()) run_round();
    } while (land() || resolve_stall());
    count_unmatched();
    return result();
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

/// What can be said of a symbol's calls without looking at each: relative peers differ from rank to rank, and nothing
/// else.
void Replayer::make_plans() {
    for (const trace::CallSource::List& list : blocks_.lists()) {
        std::vector<Plan>& plans = plans_.emplace_back(list.size());
        for (std::size_t symbol = 0; symbol < list.size(); ++symbol) {
            if (list[symbol] == nullptr) continue;
            Plan& plan = plans[symbol];
            plan.what = list[symbol];
            const trace::Parameters& call = plan.what->signature.parameters;
            const machine::Protocol protocol = functions_[call.function].protocol();
            if (call.message != trace::kNone) continue;
            if (call.action == trace::Action::send) {
                plan.kind = Plan::Kind::send;
                plan.within = settings_.within.charge(call.bytes, protocol);
                plan.between = settings_.between.charge(call.bytes, protocol);
            } else if (call.action == trace::Action::receive && call.source != trace::kAny &&
                       call.source_tag != trace::kAny) {
                plan.kind = Plan::Kind::receive;
            }
        }
    }
}

/// With peers as ranks of their groups. Valid until the next one.
const trace::Parameters& Replayer::absolute(const Actor& actor, const trace::Parameters& parameters,
                                            std::uint32_t relative) {
    if (relative == 0)
        return parameters;  // NOLINT(bugprone-return-const-ref-from-parameter): of the trace, which lives on
    absolute_ = parameters;
    if ((relative & trace::kPlacedBySource) != 0) {
        blocks_.place(actor.stream, relative, absolute_);
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

void Replayer::number_cards() {
    std::map<std::int64_t, std::size_t> numbers;
    for (RankState& rank : ranks_) rank.card_number = numbers.try_emplace(rank.node, numbers.size()).first->second;
    cards_.resize(numbers.size());
}

/// Where all ranks make the same calls, each computes before a call what they compute there on average; else each is
/// scaled to what they compute in all on average.
void Replayer::make_balance() {
    std::vector<double> sums_ns;
    std::vector<std::uint32_t> first_functions;
    std::vector<double> totals_ns(ranks_.size());
    bool alike = true;
    trace::BlockOfCalls block;
    for (const auto& actor : actors_) {
        std::size_t call = 0;
        for (std::size_t number = 0; blocks_.read(actor->stream, number, block); ++number) {
            for (const trace::BlockOfCalls::Call& next : block.calls) {
                const trace::FullCall* full = next.is_full() ? &block.full[next.what >> 1U] : nullptr;
                const std::uint32_t symbol = full != nullptr ? full->symbol : next.what >> 1U;
                const std::uint32_t function = (*actor->plans)[symbol].what->signature.parameters.function;
                double ns = full != nullptr ? static_cast<double>(full->gap_ns) : next.gap_ns;
                if (call == 0) ns = 0;  // when a process was started
                totals_ns[actor->rank] += ns;
                if (actor->number == 0) {
                    sums_ns.push_back(0);
                    first_functions.push_back(function);
                }
                alike = alike && call < sums_ns.size() && first_functions[call] == function;
                if (alike) sums_ns[call] += ns;
                ++call;
            }
        }
        alike = alike && call == sums_ns.size();
    }
    if (alike) {
        gaps_ns_ = std::move(sums_ns);
        for (double& ns : gaps_ns_) ns /= static_cast<double>(actors_.size());
        return;
    }
    remark("ranks do not make the same calls: each computes in all what they compute on average");
    const double mean_ns =
        std::accumulate(totals_ns.begin(), totals_ns.end(), 0.0) / static_cast<double>(totals_ns.size());
    for (std::size_t rank = 0; rank < scale_.size(); ++rank) {
        if (totals_ns[rank] > 0) scale_[rank] *= mean_ns / totals_ns[rank];
    }
}

void Replayer::compute(Actor& actor, double recorded_ns) {
    const double ns = computing_ns(actor, recorded_ns);
    actor.now.ns += ns;
    actor.times.compute_ns += ns;
}

bool Replayer::read_next(Actor& actor) {
    if (actor.position == actor.block.calls.size()) {
        actor.position = 0;
        if (!blocks_.read(actor.stream, actor.next_block++, actor.block)) return false;
        const std::uint64_t before_ns = actor.next_block == 1 ? origin_ns_ : 0;
        recorded_.compute_ns += static_cast<double>(actor.block.gaps_ns - std::min(before_ns, actor.block.gaps_ns));
        recorded_.mpi_ns += static_cast<double>(actor.block.lengths_ns);
    }
    const trace::BlockOfCalls::Call& next = actor.block.calls[actor.position++];
    const trace::FullCall* full = next.is_full() ? &actor.block.full[next.what >> 1U] : nullptr;
    const double recorded_ns = full != nullptr ? static_cast<double>(full->gap_ns) : next.gap_ns;
    // All clocks begin with the first call of all.
    const double first_ns = static_cast<double>(job_.streams[actor.stream].begin_ns - origin_ns_);
    const std::uint64_t number = actor.calls_read++;
    compute(actor, number == 0 ? first_ns : number < gaps_ns_.size() ? gaps_ns_[number] : recorded_ns);
    actor.in_call = true;
    actor.begin = actor.now;
    actor.call_waiting_ns = 0;
    if (full == nullptr) {
        begin_planned(actor, next.what >> 1U);
        return true;
    }
    const trace::StoredSignature& what = *(*actor.plans)[full->symbol].what;
    const trace::Parameters& call =
        absolute(actor, full->varied ? full->own.parameters : what.signature.parameters, what.relative);
    actor.function = call.function;
    actor.site = call.site;
    begin_call(actor, call,
               {.begin_ns = 0, .end_ns = full->length_ns, .times = full->times, .polling_ns = full->polling_ns});
    return true;
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
        if (channel != kNothing) channels_.expect(channel);
    }
}

void Replayer::begin_planned(Actor& actor, std::uint32_t symbol) {
    const Plan& plan = (*actor.plans)[symbol];
    const trace::Parameters& call = plan.what->signature.parameters;
    actor.function = call.function;
    actor.site = call.site;
    if (plan.kind == Plan::Kind::other) {
        begin_call(actor, absolute(actor, call, plan.what->relative), {});
    } else {
        post_planned(actor, plan, symbol);
    }
}

double Replayer::computing_ns(Actor& actor, double recorded_ns) const {
    const double ns = recorded_ns * scale_[actor.rank];
    const Noise& noise = settings_.noise;
    if (noise.exponential == 0 && noise.samples.empty()) return ns;
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
            const std::uint32_t handshake = channels_.message(need.index, need.number).handshake;
            return handshake == kNothing ? nullptr : &handshakes_[handshake].receiver;
        }
        case Need::Kind::sent:
            return handshakes_[need.index].stage == Handshake::Stage::over ? nullptr : &handshakes_[need.index].sender;
        case Need::Kind::agent: return actors_[need.index]->finished ? nullptr : &actors_[need.index]->waiter;
        default: return nullptr;
    }
}

bool Replayer::met(Actor& actor, const Need& need) {
    if (need.kind == Need::Kind::none) return true;
    if (what_wakes(need) != nullptr) return false;
    switch (need.kind) {
        case Need::Kind::message: take(actor, need.index, need.number); break;
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
    FunctionTimes& function = function_times_[actor.function];
    ++function.calls;
    function.ns += ns;
    function.waiting_ns += actor.call_waiting_ns;
}

void Replayer::finish(Actor& actor) {
    actor.finished = true;
    if (actor.stream != kNothing) --ranks_[actor.rank].running;
    wake(actor.waiter);
}

void Replayer::wake(std::uint32_t& waiter) {
    const std::uint32_t number = std::exchange(waiter, kNothing);
    if (number == kNothing) return;
    if (missing_[number] == 0) return;
    --missing_[number];
    if (missing_[number] == 0) runnable_.push_back(number);
}

Prediction Replayer::result() {
    Prediction found;
    for (const trace::TraceStream& stream : job_.streams) {
        if (stream.events > 0)
            recorded_.makespan_ns = std::max(recorded_.makespan_ns, static_cast<double>(stream.end_ns - origin_ns_));
    }
    found.progress = settings_.asynchronous ? "asynchronous" : "in calls";
    const Actor* last = nullptr;
    std::map<std::int64_t, RankTimes> ranks;
    for (const auto& actor : actors_) {
        if (actor->stream == kNothing) continue;
        if (last == nullptr || actor->now.ns > last->now.ns) last = actor.get();
        RankTimes& sum = ranks[actor->times.rank];
        sum.rank = actor->times.rank;
        sum.end_ns = std::max(sum.end_ns, actor->now.ns);
        sum.compute_ns += actor->times.compute_ns;
        sum.mpi_ns += actor->times.mpi_ns;
        sum.waiting_ns += actor->times.waiting_ns;
        sum.transfer_ns += actor->times.transfer_ns;
        sum.overhead_ns += actor->times.overhead_ns;
    }
    for (const auto& [rank, times] : ranks) found.ranks.push_back(times);
    if (last != nullptr) {
        const Path& path = last->now.path;
        found.makespan_ns = last->now.ns;
        found.links = link_use(found.makespan_ns);
        found.critical_path = {.compute_ns = found.makespan_ns - path.overhead_ns - path.latency_ns - path.transfer_ns,
                               .overhead_ns = path.overhead_ns,
                               .latency_ns = path.latency_ns,
                               .transfer_ns = path.transfer_ns};
    }
    for (const FunctionTimes& function : function_times_) {
        if (function.calls > 0) found.functions.push_back(function);
    }
    std::ranges::stable_sort(found.functions, std::greater{}, &FunctionTimes::ns);
    found.recorded = recorded_;
    found.messages = messages_;
    found.bytes = bytes_;
    for (const std::string& sentence : job_.lost) found.remarks.push_back(sentence);
    for (const auto& [what, times] : remarks_) {
        found.remarks.push_back(times == 1 ? what : what + " (" + std::to_string(times) + " times)");
    }
    return found;
}

Prediction replay(const trace::TraceFile& trace, const Settings& settings) {
    trace::CallBlocks calls = trace.blocks(keeps_length);
    return replay(trace.job(), calls, settings);
}

Prediction replay(const trace::TraceJob& job, trace::CallSource& calls, const Settings& settings) {
    return Replayer(job, calls, settings).run();
}

}  // namespace waywiser::simulate
