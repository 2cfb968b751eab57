#include "exchange/replay.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "collectives/calls.hpp"
#include "mpi/roles.hpp"

namespace waywiser::exchange {
namespace {

using collectives::Collective;
using trace::Action;

/// Collectives without a schedule, whose arguments specify the sent data.
constexpr std::array<std::pair<std::string_view, Direct>, 5> kDirect{{{"Gatherv", Direct::to_root},
                                                                      {"Scatterv", Direct::from_root},
                                                                      {"Allgatherv", Direct::same_to_all},
                                                                      {"Alltoallv", Direct::own_to_each},
                                                                      {"Alltoallw", Direct::own_to_each}}};

/// Bytes of the vector, or of a rank's block.
std::uint64_t bytes_of(Collective collective, const trace::Parameters& p, std::uint64_t ranks) {
    switch (collective) {
        case Collective::barrier: return 0;
        case Collective::bcast: return std::max(p.bytes, p.posted);
        case Collective::scatter: return p.posted != 0 ? p.posted : p.bytes / ranks;
        case Collective::alltoall:
        case Collective::reduce_scatter: return p.bytes / ranks;
        default: return p.bytes;
    }
}

/// True if all members of the communicator take part in the creation of an object. Others are created by a group.
bool called_by_all(std::string_view function) {
    return function != "MPI_Comm_create_group" && !function.ends_with("_from_group") &&
           !function.ends_with("_from_groups");
}

/// Bytes that a rank sends directly to rank `to`.
std::uint64_t direct_bytes(const CollectiveCall& call, std::size_t to) {
    const trace::Parameters& p = call.call->parameters;
    if (to < p.counts.size()) return p.counts[to];
    const bool divided = call.direct == Direct::own_to_each || call.direct == Direct::from_root;
    return divided ? p.bytes / static_cast<std::uint64_t>(call.operation.ranks) : p.bytes;
}

std::vector<Round> direct_round(const CollectiveCall& call, const mpi::Groups& groups) {
    const bool rooted = call.direct == Direct::to_root || call.direct == Direct::from_root;
    const bool is_root = call.rank == call.operation.root;
    const bool sends = !rooted || is_root == (call.direct == Direct::from_root);
    const bool receives = !rooted || !sends;
    Round round;
    for (int peer = 0; peer < call.operation.ranks; ++peer) {
        if (peer == call.rank || (rooted && !is_root && peer != call.operation.root)) continue;
        const std::int64_t world = groups.world_rank(call.object, peer);
        if (sends) round.sends.emplace_back(world, direct_bytes(call, static_cast<std::size_t>(peer)));
        if (receives) round.receives.emplace_back(world, call.call->parameters.posted);
    }
    return {std::move(round)};
}

}  // namespace

bool is_local(Action action) {
    switch (action) {
        case Action::none:
        case Action::free_object:
        case Action::rma:
        case Action::rma_sync:
        case Action::file:
        case Action::file_collective:
        case Action::phase: return true;
        default: return false;
    }
}

void LocalTime::add(const mpi::RankCall& call) {
    const auto [begin, end, times, polling] = call.call;
    if (last_end_ns_ && begin > *last_end_ns_) ns_ += begin - *last_end_ns_;
    if (is_local(call.parameters.action)) ns_ += end - begin;
    if (times > 1 && end - begin > polling) ns_ += end - begin - polling;
    last_end_ns_ = std::max(end, last_end_ns_.value_or(0));
}

std::uint32_t Tags::tag(std::uint64_t context, std::int32_t tag) {
    const auto [place, fresh] = tags_[context].try_emplace(tag, static_cast<std::uint32_t>(tag));
    if (!fresh) return place->second;
    while (!taken_.try_emplace(place->second).second) place->second = next_++;
    return place->second;
}

std::uint32_t collective_tag(const mpi::MessageKey& key) {
    constexpr std::uint64_t kBase = std::uint64_t{1} << 30U;
    return static_cast<std::uint32_t>(kBase + message_id(key) % kBase);
}

std::optional<CollectiveCall> collective_call(const trace::TraceJob& job, const mpi::Groups& groups,
                                              const trace::TraceRank& rank, const mpi::Operation& operation) {
    const trace::Parameters& p = operation.parameters;
    const std::uint32_t index = rank.objects[static_cast<std::size_t>(p.object)];
    const trace::TraceObject& object = job.objects[index];
    const std::int64_t own = groups.rank_in(index, rank.rank);
    const bool possible = object.size <= job.world_size && p.peer < object.size && p.function < job.functions.size();
    if (object.intercommunicator || own < 0 || !possible) return std::nullopt;
    CollectiveCall call{.schedule = std::nullopt,
                        .operation = {.ranks = static_cast<int>(object.size), .root = std::max(p.peer, 0)},
                        .rank = static_cast<int>(own),
                        .object = index,
                        .call = &operation};
    if (p.action == Action::make_object) {
        if (!called_by_all(job.functions[p.function])) return std::nullopt;
        call.schedule = Collective::barrier;
        return call;
    }
    const std::string name = mpi::operation_of(job.functions[p.function]);
    const auto* const direct = std::ranges::find(kDirect, name, &std::pair<std::string_view, Direct>::first);
    if (direct != kDirect.end()) {
        call.direct = direct->second;
    } else {
        call.schedule = collectives::collective_of(name);
        if (!call.schedule) return std::nullopt;
    }
    if (call.schedule)
        call.operation.bytes = bytes_of(*call.schedule, p, static_cast<std::uint64_t>(call.operation.ranks));
    return call;
}

std::vector<Round> rounds_of(const CollectiveCall& call, const mpi::Groups& groups) {
    if (!call.schedule) return direct_round(call, groups);
    const auto serves = [&](const collectives::Algorithm& candidate) {
        return candidate.collective == *call.schedule && candidate.supports(call.operation);
    };
    const auto algorithm = std::ranges::find_if(collectives::algorithms(), serves);
    std::vector<Round> rounds;
    int round = -1;
    for (const collectives::Step& step : algorithm->schedule(call.operation, call.rank)) {
        if (step.round != std::exchange(round, step.round)) rounds.emplace_back();
        const auto bytes = [&](collectives::Blocks blocks) {
            return collectives::bytes_of(*algorithm, call.operation, blocks);
        };
        if (step.to != collectives::kNobody)
            rounds.back().sends.emplace_back(groups.world_rank(call.object, step.to), bytes(step.sent));
        if (step.from != collectives::kNobody)
            rounds.back().receives.emplace_back(groups.world_rank(call.object, step.from), bytes(step.received));
    }
    return rounds;
}

}  // namespace waywiser::exchange
