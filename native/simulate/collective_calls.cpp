/// Collectives as messages: the schedules of native/collectives, played step by step.
#include <algorithm>
#include <utility>

#include "collectives/calls.hpp"
#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using collectives::Collective;

std::uint32_t Replayer::make_agent(const Actor& actor) {
    std::uint32_t number = static_cast<std::uint32_t>(actors_.size());
    if (free_agents_.empty()) {
        actors_.add();
        schedule_.add();
    } else {
        number = free_agents_.back();
        free_agents_.pop_back();
    }
    Actor& agent = actors_[number];
    std::unique_ptr<Play> play = std::move(agent.play);
    agent = {};
    agent.is_agent = true;
    agent.number = number;
    agent.rank = actor.rank;
    agent.now = actor.now;
    agent.own_nic = ranks_[actor.rank].nic;
    agent.list = actor.list;
    agent.symbol = actor.symbol;
    agent.in_call = true;
    agent.play = std::move(play);
    return number;
}

/// Blocking, the actor itself plays; else an agent of its own, which starts now.
void Replayer::start_collective(Actor& actor, const Description& described, Need* request) {
    RankObject* over = object_of(actor, described.object);
    if (over == nullptr) return remark("collectives over objects that the trace does not describe are left out");
    if (request == nullptr) {
        actor.in_play = plan(actor, described, kBlocking);
        return;
    }
    const std::int32_t tag = kBlocking - 1 - over->collectives++ % kMostAtOnce;
    const std::uint32_t number = make_agent(actor);
    Actor& agent = actors_[number];
    agent.in_play = plan(agent, described, tag);
    need(actor, request, {Need::Kind::agent, number});
    advance(number);
}

/// Sets up the player's part. \return false if its needs are all of it
bool Replayer::plan(Actor& player, const Description& described, std::int32_t tag) {
    const Function& function = functions_[described.function];
    const JobObject& over = objects_[object_of(player, described.object)->job_object];
    if (function.role.role == mpi::Role::neighbours) {
        meet_neighbours(player, described, tag);
        return false;
    }
    const bool rooted = function.role.role == mpi::Role::from_root || function.role.role == mpi::Role::to_root;
    if (over.intercommunicator && rooted) {
        between_groups(player, described, over, tag);
        return false;
    }
    const Collective collective = function.collective.value_or(Collective::barrier);
    if (over.intercommunicator) remark("collectives between two groups are simulated as those of both together");
    play_over(player, over.intercommunicator ? over.all : over.members, over.context, collective, described, tag);
    return player.play && player.play->at < player.play->steps.size();
}

void Replayer::play_over(Actor& player, const Group& group, std::uint32_t context, Collective collective,
                         const Description& described, std::int32_t tag) {
    if (!player.play) player.play = std::make_unique<Play>();
    Play& play = *player.play;
    play.at = 0;
    const int place = group.place(player.rank);
    if (place == Group::kUnknown || group.size() < 2) {
        play.steps.clear();
        play.function = kNothing;
        return;
    }
    const Function& function = functions_[described.function];
    const collectives::CallBytes bytes{.sent = described.bytes, .posted = described.posted, .shares = described.counts};
    collectives::Operation operation =
        collectives::operation_of(collective, function.operation, group.size(), described.peer, bytes);
    const bool same = play.function == described.function && play.context == context && play.tag == tag &&
                      play.rank == player.rank && play.bytes == operation.bytes && play.root == operation.root &&
                      play.counts == described.counts;
    if (same && play.in_switches) return reduce(player, group, context, operation.bytes);
    if (same) return;
    play = {.function = described.function,
            .context = context,
            .tag = tag,
            .rank = player.rank,
            .bytes = operation.bytes,
            .root = operation.root,
            .counts = described.counts,
            .steps = {}};
    std::vector<std::uint64_t> shares;
    if (collective == Collective::alltoall && !operation.shares.empty()) {
        shares = collectives::by_distance(operation.shares, place);
        operation.shares = shares;
    }
    const auto stages = choice_.stages(collective, function.operation, tag != kBlocking, operation, group);
    play.in_switches = !stages.empty() && stages.front().algorithm->switches != nullptr;
    if (play.in_switches) return reduce(player, group, context, operation.bytes);
    for (const collectives::Move& move : collectives::moves(stages, place)) {
        Play::Step made{.round = move.round, .bytes = move.sent_bytes};
        if (const std::int32_t from = group.index(move.from); move.from != collectives::kNobody) {
            if (from == Group::kUnknown) continue;
            made.receive = channel(context, tag, static_cast<std::uint32_t>(from), player.rank);
        }
        if (const std::int32_t to = group.index(move.to); move.to != collectives::kNobody) {
            if (to == Group::kUnknown) continue;
            made.to = static_cast<std::uint32_t>(to);
            made.send = channel(context, tag, player.rank, made.to);
        }
        play.steps.push_back(made);
    }
}

/// The next round: what is to be received is posted, what is to be sent is sent.
void Replayer::play_on(Actor& actor) {
    Play& play = *actor.play;
    const int round = play.steps[play.at].round;
    for (; play.at < play.steps.size() && play.steps[play.at].round == round; ++play.at) {
        const Play::Step& step = play.steps[play.at];
        if (step.receive != kNothing) need(actor, nullptr, claim(actor, step.receive, actor.now));
        if (step.send != kNothing) {
            const Charge cost = charge(actor.rank, step.to, step.bytes, machine::Protocol::by_size);
            need(actor, nullptr, send(actor, step.send, cost, step.bytes));
        }
    }
    actor.in_play = play.at < play.steps.size();
}

/// A rooted collective between two groups: messages between the root and each rank of the other group.
void Replayer::between_groups(Actor& player, const Description& described, const JobObject& over, std::int32_t tag) {
    const bool from_root = functions_[described.function].role.role == mpi::Role::from_root;
    const bool is_root = described.peer == trace::kOwnGroup;
    if (!is_root && described.peer < 0) return;
    const std::uint64_t n = static_cast<std::uint64_t>(std::max(over.members.size(), 1));
    const bool parts = functions_[described.function].collective == Collective::scatter;
    const int first = is_root ? 0 : described.peer;
    for (int member = first; member < (is_root ? over.members.size() : first + 1); ++member) {
        const std::int32_t index = over.members.index(member);
        if (index == Group::kUnknown) continue;
        const auto peer = static_cast<std::uint32_t>(index);
        if (from_root == is_root) {
            const std::uint64_t bytes = is_root && parts ? described.bytes / n : described.bytes;
            need(player, nullptr,
                 send(player, channel(over.context, tag, player.rank, peer),
                      charge(player.rank, peer, bytes, machine::Protocol::by_size), bytes));
        } else {
            need(player, nullptr, claim(player, channel(over.context, tag, peer, player.rank), player.now));
        }
    }
}

/// All traced ranks, as in MPI_Finalize.
void Replayer::join_all(Actor& actor) {
    play_over(actor, common_.everybody, common_.world, Collective::barrier, {{.function = actor.call().function}},
              kBlocking);
    actor.in_play = actor.play->at < actor.play->steps.size();
}

void Replayer::meet_neighbours(Actor& player, const Description& described, std::int32_t tag) {
    const RankObject* over = object_of(player, described.object);
    if (!over->neighbours) {
        return remark("neighbourhood collectives over topologies made before the trace are left out");
    }
    const std::shared_ptr<const mpi::Neighbours> neighbours = over->neighbours;
    const std::uint32_t context = objects_[over->job_object].context;
    const bool alike = functions_[described.function].operation.starts_with("Neighbor_allgather");
    const std::size_t n = neighbours->out.size();
    for (const std::int32_t from : neighbours->in) {
        if (const auto peer = peer_of(player, described.object, from)) {
            need(player, nullptr, claim(player, channel(context, tag, *peer, player.rank), player.now));
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        const auto peer = peer_of(player, described.object, neighbours->out[i]);
        if (!peer) continue;
        const std::uint64_t bytes = described.counts.size() == n ? described.counts[i]
                                    : alike                      ? described.bytes
                                                                 : described.bytes / n;
        need(player, nullptr,
             send(player, channel(context, tag, player.rank, *peer),
                  charge(player.rank, *peer, bytes, machine::Protocol::by_size), bytes));
    }
}

}  // namespace waywiser::simulate
