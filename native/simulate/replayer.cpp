#include "simulate/replayer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace waywiser::simulate {

using collectives::Collective;

namespace {

struct NamedCollective {
    std::string_view name;  ///< as in settings
    Collective collective;
};

constexpr std::array<NamedCollective, 10> kCollectives{{{"barrier", Collective::barrier},
                                                        {"bcast", Collective::bcast},
                                                        {"gather", Collective::gather},
                                                        {"scatter", Collective::scatter},
                                                        {"allgather", Collective::allgather},
                                                        {"alltoall", Collective::alltoall},
                                                        {"reduce", Collective::reduce},
                                                        {"allreduce", Collective::allreduce},
                                                        {"reduce_scatter", Collective::reduce_scatter},
                                                        {"scan", Collective::scan}}};

/// "Allgatherv" and "Allgather" are the same, and so on.
std::optional<Collective> collective_of(std::string_view operation) {
    std::string name;
    for (const char letter : operation)
        name += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    if (name == "exscan") name = "scan";
    if (name == "reduce_scatter_block") name = "reduce_scatter";
    const auto named = [&](std::string_view wanted) {
        const auto* at = std::ranges::find(kCollectives, wanted, &NamedCollective::name);
        return at == kCollectives.end() ? std::nullopt : std::optional(at->collective);
    };
    const bool varying = name.ends_with('v') || name.ends_with('w');
    const auto plain = named(name);
    return plain || !varying ? plain : named(std::string_view(name).substr(0, name.size() - 1));
}

std::vector<const collectives::Algorithm*> algorithms_of(const NamedCollective& named, const Settings& settings) {
    const auto chosen = settings.collectives.find(std::string(named.name));
    std::vector<const collectives::Algorithm*> found;
    std::string known;
    for (const collectives::Algorithm& one : collectives::algorithms()) {
        if (one.collective != named.collective) continue;
        found.push_back(&one);
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    if (chosen == settings.collectives.end()) return found;
    const auto at = std::ranges::find(found, chosen->second, &collectives::Algorithm::name);
    require(at != found.end(), "collectives: expected for " + std::string(named.name) + " one of " + known +
                                   ", found '" + chosen->second + "'");
    std::rotate(found.begin(), at, at + 1);
    return found;
}

/// A number from 0 to 1 that depends on all of the arguments.
double chance(std::uint64_t seed, std::uint64_t rank, std::uint64_t number) {
    const std::uint64_t bits = scattered(scattered(scattered(seed) + rank) + number);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

}  // namespace

void Settings::check() const {
    within.check("within");
    between.check("between");
    require(std::isfinite(cpu) && cpu > 0, "cpu: expected how many times as fast, more than 0");
    require(noise.exponential >= 0 && std::isfinite(noise.exponential), "noise: expected a mean delay of 0 or more");
    for (const double sample : noise.samples) {
        require(sample >= 0 && std::isfinite(sample), "noise: expected delays of 0 or more");
    }
    require(noise.samples.empty() || noise.exponential == 0, "noise: expected a distribution or samples, found both");
    require(threads >= 1, "threads: expected 1 or more");
    for (const auto& [name, algorithm] : collectives) {
        std::string known;
        for (const NamedCollective& one : kCollectives) known += (known.empty() ? "" : ", ") + std::string(one.name);
        require(std::ranges::find(kCollectives, name, &NamedCollective::name) != kCollectives.end(),
                "collectives: expected one of " + known + ", found '" + name + "'");
    }
}

Replayer::Replayer(const trace::TraceFile& trace, const Settings& settings)
    : trace_(trace), settings_(settings), job_(trace.job()), objects_(job_objects(job_)) {
    settings.check();
    for (const NamedCollective& named : kCollectives) algorithms_[named.collective] = algorithms_of(named, settings);
    for (const std::string& name : job_.functions) {
        const std::string operation = trace::operation_of(name);
        functions_.push_back(
            {.role = trace::call_role(name), .operation = operation, .collective = collective_of(operation)});
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
        for (const std::uint32_t object : job_.ranks[i].objects) {
            ranks_[i].objects.push_back({.job_object = object, .epochs = nullptr, .neighbours = nullptr});
        }
        incomplete_ =
            incomplete_ || job_.ranks[i].dropped_calls > 0 || job_.ranks[i].ending != trace::Ending::finalised;
    }
    incomplete_ = incomplete_ || !job_.lost.empty() ||
                  job_.ranks.size() != static_cast<std::size_t>(std::max<std::int64_t>(job_.world_size, 0));
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
        actor->cursor = trace.cursor(i);
        actor->recorded_end_ns = origin_ns_;
        actor->times.rank = job_.streams[i].rank;
        ++ranks_[rank].running;
        actors_.push_back(std::move(actor));
    }
    scale_.assign(ranks_.size(), 1 / settings.cpu);
    for (std::size_t i = actors_.size(); i-- > 0;) runnable_.push_back(static_cast<std::uint32_t>(i));
}

Prediction Replayer::run() {
    do {
        while (!runnable_.empty()) {
            const std::uint32_t actor = runnable_.back();
            runnable_.pop_back();
            advance(actor);
        }
    } while (resolve_stall());
    count_unmatched();
    return result();
}

/// As far as it can go.
void Replayer::advance(std::uint32_t number) {
    Actor& actor = *actors_[number];
    actor.parked = false;
    while (!actor.finished) {
        if (!actor.in_call && !read_next(actor)) return finish(actor);
        if (!meet_needs(actor)) {
            actor.parked = true;
            return;
        }
        end_call(actor);
    }
}

bool Replayer::read_next(Actor& actor) {
    if (!actor.cursor->next()) return false;
    const trace::TracedCall& times = actor.cursor->call();
    const trace::Parameters& call = actor.cursor->parameters();
    const double gap_ns =
        times.begin_ns > actor.recorded_end_ns ? static_cast<double>(times.begin_ns - actor.recorded_end_ns) : 0.0;
    const std::uint64_t end_ns = std::max(actor.recorded_end_ns, times.end_ns);
    recorded_.compute_ns += gap_ns;
    recorded_.mpi_ns += static_cast<double>(end_ns - actor.recorded_end_ns) - gap_ns;
    recorded_.makespan_ns = std::max(recorded_.makespan_ns, static_cast<double>(end_ns - origin_ns_));
    actor.recorded_end_ns = end_ns;
    const double ns = computing_ns(actor, gap_ns);
    actor.now.ns += ns;
    actor.times.compute_ns += ns;
    actor.in_call = true;
    actor.function = call.function;
    actor.site = call.site;
    actor.begin_ns = actor.now.ns;
    actor.call_waiting_ns = 0;
    begin_call(actor, call, times);
    return true;
}

double Replayer::computing_ns(Actor& actor, double recorded_ns) const {
    const double ns = recorded_ns * scale_[actor.rank];
    const Noise& noise = settings_.noise;
    if (noise.exponential == 0 && noise.samples.empty()) return ns;
    const double drawn = chance(noise.seed, static_cast<std::uint64_t>(actor.times.rank), actor.intervals++);
    if (noise.samples.empty()) return ns * (1 - noise.exponential * std::log(drawn));
    return ns * (1 + noise.samples[static_cast<std::size_t>(drawn * static_cast<double>(noise.samples.size()))]);
}

bool Replayer::meet_needs(Actor& actor) {
    for (;;) {
        for (; actor.at < actor.needs.size(); ++actor.at) {
            if (!met(actor, actor.needs[actor.at])) return false;
        }
        actor.needs.clear();
        actor.at = 0;
        if (!actor.in_play) return true;
        play_on(actor);
    }
}

bool Replayer::met(Actor& actor, Need& need) {
    switch (need.kind) {
        case Need::Kind::none: return true;
        case Need::Kind::message: return take(actor, need.index, need.number);
        case Need::Kind::moment: wait_until(actor, moments_[need.index], 0); return true;
        case Need::Kind::sent: {
            Handshake& handshake = handshakes_[need.index];
            if (!handshake.over) {
                handshake.sender = actor.number;
                return false;
            }
            wait_until(actor, handshake.left, handshake.posted_ns);
            free_handshakes_.push_back(need.index);
            return true;
        }
        case Need::Kind::agent: {
            Actor& agent = *actors_[need.index];
            if (!agent.finished) {
                agent.waiter = actor.number;
                return false;
            }
            wait_until(actor, agent.now, agent.now.ns - agent.times.transfer_ns);
            free_agents_.push_back(need.index);
            return true;
        }
    }
    return true;
}

void Replayer::end_call(Actor& actor) {
    actor.in_call = false;
    if (!actor.cursor) return finish(actor);
    const double ns = actor.now.ns - actor.begin_ns;
    actor.times.mpi_ns += ns;
    FunctionTimes& function = function_times_[actor.function];
    ++function.calls;
    function.ns += ns;
    function.waiting_ns += actor.call_waiting_ns;
}

void Replayer::finish(Actor& actor) {
    actor.finished = true;
    if (actor.cursor) --ranks_[actor.rank].running;
    wake(actor.waiter);
}

void Replayer::wake(std::uint32_t& waiter) {
    const std::uint32_t actor = std::exchange(waiter, kNothing);
    if (actor == kNothing || !actors_[actor]->parked) return;
    actors_[actor]->parked = false;
    runnable_.push_back(actor);
}

Prediction Replayer::result() {
    Prediction found;
    found.progress = settings_.asynchronous ? "asynchronous" : "in calls";
    const Actor* last = nullptr;
    std::map<std::int64_t, RankTimes> ranks;
    for (const auto& actor : actors_) {
        if (!actor->cursor) continue;
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

Prediction replay(const trace::TraceFile& trace, const Settings& settings) { return Replayer(trace, settings).run(); }

}  // namespace waywiser::simulate
