#include "simulate/collective_player.hpp"

#include <algorithm>
#include <utility>

#include "collectives/calls.hpp"

namespace waywiser::simulate {

using collectives::Collective;

void CollectivePlayer::begin(Actor& player, const Description& described, std::int32_t tag) {
    const Function& function = common_.functions[described.function];
    const RankObject& known = *common_.object_of(player, described.object);
    const JobObject& over = common_.objects[known.job_object];
    const bool rooted = function.role.role == mpi::Role::from_root || function.role.role == mpi::Role::to_root;
    if (function.role.role == mpi::Role::neighbours) return meet_neighbours(player, described, known, tag);
    if (over.intercommunicator && rooted) return between_groups(player, described, over, tag);
    if (over.intercommunicator) ++remarks_["collectives between two groups are simulated as those of both together"];
    play_over(player, over.intercommunicator ? over.all : over.members, over.context,
              function.collective.value_or(Collective::barrier), described, tag);
}

void CollectivePlayer::join_all(Actor& player) {
    play_over(player, common_.everybody, common_.world, Collective::barrier, {{.function = player.call().function}},
              kBlocking);
}

void CollectivePlayer::play_on(Actor& player) {
    Play& play = *player.play;
    const int round = play.steps[play.at].round;
    for (; play.at < play.steps.size() && play.steps[play.at].round == round; ++play.at) {
        const Play::Step& step = play.steps[play.at];
        if (step.receive != kNothing) player.need(messages_.receive(player, step.receive, player.now));
        if (step.send != kNothing) {
            const Charge costs = messages_.charge(player.rank, step.to, step.bytes, machine::Protocol::by_size);
            player.need(messages_.send(player, step.send, costs, step.bytes));
        }
    }
    player.in_play = play.at < play.steps.size();
}

/// The actor's part, cleared of steps.
Play& CollectivePlayer::cleared(Actor& player, std::uint32_t context, std::int32_t tag) {
    if (!player.play) player.play = std::make_unique<Play>();
    Play& play = *player.play = {};
    play.context = context;
    play.tag = tag;
    play.rank = player.rank;
    return play;
}

/// \param from, to  kNothing: none
void CollectivePlayer::add_step(Actor& player, int round, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    if (from == kNothing && to == kNothing) return;
    Play& play = *player.play;
    Play::Step& step = play.steps.emplace_back(Play::Step{.round = round, .to = to, .bytes = bytes});
    if (from != kNothing) step.receive = messages_.channel({play.context, play.tag, from, player.rank});
    if (to != kNothing) step.send = messages_.channel({play.context, play.tag, player.rank, to});
    player.in_play = true;
}

void CollectivePlayer::play_over(Actor& player, const Group& group, std::uint32_t context, Collective collective,
                                 const Description& described, std::int32_t tag) {
    const bool alone = group.place(player.rank) == Group::kUnknown || group.size() < 2;
    Play& play = player.play && !alone ? *player.play : cleared(player, context, tag);
    if (alone) return;
    const std::string& name = common_.functions[described.function].operation;
    const collectives::CallBytes bytes{.sent = described.bytes, .posted = described.posted, .shares = described.counts};
    const collectives::Operation operation =
        collectives::operation_of(collective, name, group.size(), described.peer, bytes);
    const bool same = play.function == described.function && play.context == context && play.tag == tag &&
                      play.rank == player.rank && play.bytes == operation.bytes && play.root == operation.root &&
                      play.counts == described.counts;
    if (!same) {
        cleared(player, context, tag);
        play.function = described.function;
        play.bytes = operation.bytes;
        play.root = operation.root;
        play.counts = described.counts;
        plan(player, group, collective, operation);
    }
    if (play.in_switches) return reduce(player, group);
    play.at = 0;
    player.in_play = !play.steps.empty();
}

void CollectivePlayer::plan(Actor& player, const Group& group, Collective collective,
                            collectives::Operation operation) {
    Play& play = *player.play;
    const int place = group.place(player.rank);
    std::vector<std::uint64_t> shares;
    if (collective == Collective::alltoall && !operation.shares.empty()) {
        shares = collectives::by_distance(operation.shares, place);
        operation.shares = shares;
    }
    const std::string& name = common_.functions[play.function].operation;
    const auto stages = choice_.stages(collective, name, play.tag != kBlocking, operation, group);
    play.in_switches = !stages.empty() && stages.front().algorithm->switches != nullptr;
    if (play.in_switches) return;
    const auto rank_of = [&](int member) { return static_cast<std::uint32_t>(group.index(member)); };
    for (const collectives::Move& move : collectives::moves(stages, place)) {
        const std::uint32_t from = rank_of(move.from);
        const std::uint32_t to = rank_of(move.to);
        const bool absent = (from == kNothing && move.from != collectives::kNobody) ||
                            (to == kNothing && move.to != collectives::kNobody);
        if (!absent) add_step(player, move.round, from, to, move.sent_bytes);
    }
}

/// A rooted collective between two groups: messages between the root and each rank of the other group.
void CollectivePlayer::between_groups(Actor& player, const Description& described, const JobObject& over,
                                      std::int32_t tag) {
    cleared(player, over.context, tag);
    const Function& function = common_.functions[described.function];
    const bool from_root = function.role.role == mpi::Role::from_root;
    const bool is_root = described.peer == trace::kOwnGroup;
    const bool parts = is_root && function.collective == Collective::scatter;
    const std::uint64_t n = parts ? static_cast<std::uint64_t>(std::max(over.members.size(), 1)) : 1;
    const int first = is_root ? 0 : described.peer;
    const int end = is_root ? over.members.size() : first + 1;
    for (int member = first; member < end; ++member) {
        const auto peer = static_cast<std::uint32_t>(over.members.index(member));
        const bool sends = from_root == is_root;
        add_step(player, 0, sends ? kNothing : peer, sends ? peer : kNothing, described.bytes / n);
    }
}

void CollectivePlayer::meet_neighbours(Actor& player, const Description& described, const RankObject& over,
                                       std::int32_t tag) {
    cleared(player, common_.objects[over.job_object].context, tag);
    if (!over.neighbours) {
        ++remarks_["neighbourhood collectives over topologies made before the trace are left out"];
        return;
    }
    const auto rank_of = [&](std::int32_t neighbour) {
        return messages_.peer_of(player, described.object, neighbour).value_or(kNothing);
    };
    for (const std::int32_t from : over.neighbours->in) add_step(player, 0, rank_of(from), kNothing, 0);
    const std::vector<std::int32_t>& out = over.neighbours->out;
    const bool alike = common_.functions[described.function].operation.starts_with("Neighbor_allgather");
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t bytes = described.counts.size() == out.size() ? described.counts[i]
                                    : alike                               ? described.bytes
                                                                          : described.bytes / out.size();
        add_step(player, 0, kNothing, rank_of(out[i]), bytes);
    }
}

}  // namespace waywiser::simulate
