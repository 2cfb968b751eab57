#include "simulate/common.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "collectives/calls.hpp"

namespace waywiser::simulate {

using collectives::Collective;

namespace {

constexpr int kMostThreads = 256;

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
    require(!interconnect || !share_nic,
            "share_nic: expected false with an interconnect, whose speeds say what a NIC gives");
    within.check("within");
    between.check("between");
    require(std::isfinite(cpu) && cpu > 0, "cpu: expected how many times as fast, more than 0");
    require(noise.exponential >= 0 && std::isfinite(noise.exponential), "noise: expected a mean delay of 0 or more");
    require(threads >= 0 && threads <= kMostThreads, "threads: expected 1 to " + std::to_string(kMostThreads) +
                                                         ", or 0 for as many as help, found " +
                                                         std::to_string(threads));
    for (const auto& [name, specified] : collectives) {
        static_cast<void>(collectives::algorithm(collectives::collective_named(name), specified));
    }
}

Common::Common(const trace::TraceJob& of, const trace::CallSource& source, const Settings& requested)
    : settings(requested), job(of), objects(job_objects(job)), calls(source) {
    settings.check();
    lost_before = job.lost.size();
    for (const auto& [name, algorithm] : settings.collectives) {
        const Collective collective = collectives::collective_named(name);
        specified[collective] = &collectives::algorithm(collective, algorithm);
    }
    rules = collectives::rules_of(settings.library);
    if (!rules && !settings.library.empty()) {
        ++remarks["which algorithms " + settings.library +
                  " would select is not known: collectives that are not given one use the first of the table that "
                  "supports them"];
    }
    for (const std::string& name : job.functions) {
        const std::string operation = mpi::operation_of(name);
        functions.push_back({.role = mpi::call_role(name),
                             .operation = operation,
                             .collective = collectives::collective_of(operation),
                             .readies = operation.starts_with("Pready")});
    }
    for (const JobObject& object : objects) world = std::max(world, object.context + 1);
    std::vector<std::int32_t> all(job.ranks.size());
    std::iota(all.begin(), all.end(), 0);
    everybody = Group({{.first = 0, .stride = 1, .count = static_cast<std::int64_t>(all.size())}}, all);
    incomplete = !job.lost.empty() || std::cmp_not_equal(job.ranks.size(), std::max<std::int64_t>(job.world_size, 0));
    place_ranks();
    make_plans();
    origin_ns = std::numeric_limits<std::uint64_t>::max();
    for (const trace::TraceStream& stream : job.streams) {
        if (stream.events > 0) origin_ns = std::min(origin_ns, stream.begin_ns);
    }
    scale.assign(ranks.size(), 1 / settings.cpu);
    if (settings.balanced || settings.no_noise) adjust_computation();
}

void Common::place_ranks() {
    ranks.resize(job.ranks.size());
    std::map<std::int64_t, std::uint32_t> numbers;
    std::size_t stream = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const trace::TraceRank& described = job.ranks[i];
        RankState& rank = ranks[i];
        const auto world_rank = static_cast<std::size_t>(described.rank);
        if (!settings.node_of_rank.empty() && world_rank >= settings.node_of_rank.size()) {
            throw InvalidInput("node_of_rank: expected the nodes of " + std::to_string(job.world_size) +
                               " ranks, found " + std::to_string(settings.node_of_rank.size()));
        }
        rank.node = settings.node_of_rank.empty() ? described.host : settings.node_of_rank[world_rank];
        rank.nic_number = numbers.try_emplace(rank.node, static_cast<std::uint32_t>(numbers.size())).first->second;
        for (const std::uint32_t object : described.objects) {
            rank.objects.push_back({.job_object = object, .epochs = nullptr, .neighbours = nullptr});
        }
        incomplete = incomplete || described.dropped_calls > 0 || described.ending != trace::Ending::finalised;
        stream_begins.push_back(stream);
        while (stream < job.streams.size() && job.streams[stream].rank == described.rank) ++stream;
        rank.running = static_cast<std::uint32_t>(stream - stream_begins.back());
        if (rank.running > 1) {
            ++remarks["threads of a rank share its NIC, and requests, in the order in which they are evaluated"];
        }
    }
    stream_begins.push_back(stream);
    nodes = numbers.size();
}

bool Common::needs_order() const {
    const bool threaded = job.streams.size() > job.ranks.size();
    const bool cancels = std::ranges::any_of(plans, [](const PlanList& list) {
        return std::ranges::any_of(list.plans, [](const Plan& plan) {
            return plan.stored != nullptr && plan.stored->signature.parameters.action == trace::Action::cancel;
        });
    });
    const bool in_switches =
        std::ranges::any_of(specified, [](const auto& entry) { return entry.second->switches != nullptr; });
    return settings.share_nic || settings.interconnect || threaded || cancels || in_switches || locks_exclude;
}

/// Precomputes the properties that all calls of a symbol share: only relative peers differ from rank to rank.
void Common::make_plans() {
    for (const trace::CallSource::List& symbols : calls.lists()) {
        PlanList& list = plans.emplace_back();
        list.plans.resize(symbols.size());
        for (std::size_t symbol = 0; symbol < symbols.size(); ++symbol) {
            if (symbols[symbol] == nullptr) continue;
            Plan& plan = list.plans[symbol];
            plan.stored = symbols[symbol];
            const trace::Parameters& call = plan.stored->signature.parameters;
            const auto known = std::ranges::find(list.functions, call.function);
            plan.slot = static_cast<std::uint32_t>(known - list.functions.begin());
            if (known == list.functions.end()) list.functions.push_back(call.function);
            locks_exclude =
                locks_exclude || (functions[call.function].operation == "Win_lock" && mpi::is_exclusive(call.detail));
            in_calls = in_calls || (!settings.asynchronous && may_need_handshake(*plan.stored));
            if (call.message != trace::kNone) continue;
            if (call.action == trace::Action::send) {
                const machine::Protocol protocol = functions[call.function].protocol();
                plan.kind = Plan::Kind::send;
                plan.within = settings.within.charge(call.bytes, protocol);
                plan.between = settings.between.charge(call.bytes, protocol);
            } else if (call.action == trace::Action::receive && call.source != trace::kAny &&
                       call.source_tag != trace::kAny) {
                plan.kind = Plan::Kind::receive;
            }
            plan.request = call.request;
            plan.bytes = call.bytes;
            if (plan.kind == Plan::Kind::receive) ++list.receives;
            if (plan.kind != Plan::Kind::other && plan.request >= 0 && plan.request < mpi::kMostRequests) {
                list.requests = std::max(list.requests, static_cast<std::size_t>(plan.request) + 1);
            }
        }
    }
}

/// True if a message of such calls may need a handshake. Messages of collectives do not count: their senders and
/// receivers are within the collective, or progress by themselves, until it is complete.
bool Common::may_need_handshake(const trace::StoredSignature& stored) const {
    using trace::Action;
    const trace::Parameters& call = stored.signature.parameters;
    if (call.action != Action::send && call.action != Action::send_receive && call.action != Action::prepare_send) {
        return false;
    }
    const machine::Protocol protocol = functions[call.function].protocol();
    if (protocol != machine::Protocol::by_size) return protocol == machine::Protocol::rendezvous;
    const std::uint64_t limit = std::min(settings.within.eager_limit_bytes, settings.between.eager_limit_bytes);
    return call.bytes > limit || (stored.varying & trace::kBytes) != 0;
}

/// Visits a stream's computation between calls, without the time before the first call, when its process started.
template <class Visit>
void Common::each_interval(std::size_t stream, Visit visit) const {
    const std::vector<Plan>& list = plans[calls.list_of(stream)].plans;
    const std::unique_ptr<trace::CallReader> reader = calls.reader();
    const trace::Parameters* before = nullptr;
    trace::BlockOfCalls block;
    for (std::size_t number = 0; reader->read(stream, number, block); ++number) {
        for (const trace::BlockOfCalls::Call& next : block.calls) {
            const trace::FullCall* full = next.is_full() ? &block.full[next.what >> 1U] : nullptr;
            const std::uint32_t symbol = full != nullptr ? full->symbol : next.what >> 1U;
            const trace::Parameters& after = list[symbol].stored->signature.parameters;
            const double ns = full != nullptr ? static_cast<double>(full->gap_ns) : next.gap_ns;
            if (before != nullptr) visit(interval_kind(*before, after), ns);
            before = &after;
        }
    }
}

void Common::adjust_computation() {
    if (settings.balanced) balance();
    if (!settings.no_noise) return;
    quiet.resize(job.streams.size());
    for (std::size_t stream = 0; stream < quiet.size(); ++stream) {
        each_interval(stream, [&](IntervalKind kind, double ns) { quiet[stream].add(kind, ns); });
    }
    Intervals::quieten(quiet);
}

/// Gives each rank the average computation of all ranks for each kind of interval; if ranks do not have the same kinds,
/// for all kinds together. Differences between repetitions remain: these are noise, or imbalance that moves.
void Common::balance() {
    std::vector<IntervalTimes> sums_ns(ranks.size());
    std::vector<double> totals_ns(ranks.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (std::size_t stream = stream_begins[rank]; stream < stream_begins[rank + 1]; ++stream) {
            each_interval(stream, [&](IntervalKind kind, double ns) {
                sums_ns[rank][kind] += ns;
                totals_ns[rank] += ns;
            });
        }
    }
    factors = balancing_factors(sums_ns);
    if (!factors.empty()) return;
    ++remarks["ranks do not make the same calls: each computes in all what they compute on average"];
    const double mean_ns =
        std::accumulate(totals_ns.begin(), totals_ns.end(), 0.0) / static_cast<double>(totals_ns.size());
    for (std::size_t rank = 0; rank < scale.size(); ++rank) {
        if (totals_ns[rank] > 0) scale[rank] *= mean_ns / totals_ns[rank];
    }
}

}  // namespace waywiser::simulate
