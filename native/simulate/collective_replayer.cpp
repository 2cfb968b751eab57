#include "simulate/collective_replayer.hpp"

#include <algorithm>
#include <utility>

#include "collectives/calls.hpp"

namespace waywiser::simulate {

using collectives::Collective;

void CollectiveReplayer::begin(Actor& actor, const Description& described, std::int32_t tag) {
    const Function& function = common_.functions[described.function];
    const RankObject& known = *common_.object_of(actor, described.object);
    const JobObject& over = common_.objects[known.job_object];
    const bool rooted = function.role.role == mpi::Role::from_root || function.role.role == mpi::Role::to_root;
    if (function.role.role == mpi::Role::neighbours) return meet_neighbours(actor, described, known, tag);
    if (over.intercommunicator && rooted) return between_groups(actor, described, over, tag);
    if (over.intercommunicator) ++remarks_["collectives between two groups are simulated as those of both together"];
    take_part(actor, over.intercommunicator ? over.all : over.members, over.context,
              function.collective.value_or(Collective::barrier), described, tag);
}

void CollectiveReplayer::join_all(Actor& actor) {
    take_part(actor, common_.everybody, common_.world, Collective::barrier, {{.function = actor.call().function}},
              kBlocking);
}

void CollectiveReplayer::proceed(Actor& actor) {
    CollectivePart& part = *actor.part;
    const int round = part.steps[part.at].round;
    for (; part.at < part.steps.size() && part.steps[part.at].round == round; ++part.at) {
        const CollectivePart::Step& step = part.steps[part.at];
        if (step.receive != kNothing) actor.need(messages_.receive(actor, step.receive, actor.now));
        if (step.send != kNothing) {
            const Charge costs = messages_.charge(actor.rank, step.to, step.bytes, machine::Protocol::by_size);
            actor.need(messages_.send(actor, step.send, costs, step.bytes));
        }
    }
    actor.in_collective = part.at < part.steps.size();
}

/// The actor's part, cleared of steps.
CollectivePart& CollectiveReplayer::cleared(Actor& actor, std::uint32_t context, std::int32_t tag) {
    if (!actor.part) actor.part = std::make_unique<CollectivePart>();
    CollectivePart& part = *actor.part = {};
    part.context = context;
    part.tag = tag;
    part.rank = actor.rank;
    return part;
}

/// \param from, to  kNothing: none
void CollectiveReplayer::add_step(Actor& actor, int round, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    if (from == kNothing && to == kNothing) return;
    CollectivePart& part = *actor.part;
    CollectivePart::Step& step =
        part.steps.emplace_back(CollectivePart::Step{.round = round, .to = to, .bytes = bytes});
    if (from != kNothing) step.receive = messages_.channel({part.context, part.tag, from, actor.rank});
    if (to != kNothing) step.send = messages_.channel({part.context, part.tag, actor.rank, to});
    actor.in_collective = true;
}

void CollectiveReplayer::take_part(Actor& actor, const Group& group, std::uint32_t context, Collective collective,
                                   const Description& described, std::int32_t tag) {
    const bool alone = group.place(actor.rank) == Group::kUnknown || group.size() < 2;
    CollectivePart& part = actor.part && !alone ? *actor.part : cleared(actor, context, tag);
    if (alone) return;
    const std::string& name = common_.functions[described.function].operation;
    const collectives::CallBytes bytes{.sent = described.bytes, .posted = described.posted, .shares = described.counts};
    const collectives::Operation operation =
        collectives::operation_of(collective, name, group.size(), described.peer, bytes);
    const bool same = part.function == described.function && part.context == context && part.tag == tag &&
                      part.rank == actor.rank && part.bytes == operation.bytes && part.root == operation.root &&
                      part.counts == described.counts;
    if (!same) {
        cleared(actor, context, tag);
        part.function = described.function;
        part.bytes = operation.bytes;
        part.root = operation.root;
        part.counts = described.counts;
        plan(actor, group, collective, operation);
    }
    if (part.in_switches) return reduce(actor, group);
    part.at = 0;
    actor.in_collective = !part.steps.empty();
}

void CollectiveReplayer::plan(Actor& actor, const Group& group, Collective collective,
                              collectives::Operation operation) {
    CollectivePart& part = *actor.part;
    const int place = group.place(actor.rank);
    std::vector<std::uint64_t> shares;
    if (collective == Collective::alltoall && !operation.shares.empty()) {
        shares = collectives::by_distance(operation.shares, place);
        operation.shares = shares;
    }
    const std::string& name = common_.functions[part.function].operation;
    const auto stages = choice_.stages(collective, name, part.tag != kBlocking, operation, group);
    part.in_switches = !stages.empty() && stages.front().algorithm->switches != nullptr;
    if (part.in_switches) return;
    const auto rank_of = [&](int member) { return static_cast<std::uint32_t>(group.index(member)); };
    for (const collectives::Move& move : collectives::moves(stages, place)) {
        const std::uint32_t from = rank_of(move.from);
        const std::uint32_t to = rank_of(move.to);
        const bool absent = (from == kNothing && move.from != collectives::kNobody) ||
                            (to == kNothing && move.to != collectives::kNobody);
        if (!absent) add_step(actor, move.round, from, to, move.sent_bytes);
    }
}

/// A rooted collective between two groups: messages between the root and each rank of the other group.
void CollectiveReplayer::between_groups(Actor& actor, const Description& described, const JobObject& over,
                                        std::int32_t tag) {
    cleared(actor, over.context, tag);
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
        add_step(actor, 0, sends ? kNothing : peer, sends ? peer : kNothing, described.bytes / n);
    }
}

void CollectiveReplayer::meet_neighbours(Actor& actor, const Description& described, const RankObject& over,
                                         std::int32_t tag) {
    cleared(actor, common_.objects[over.job_object].context, tag);
    if (!over.neighbours) {
        ++remarks_["neighbourhood collectives over topologies made before the trace are left out"];
        return;
    }
    const auto rank_of = [&](std::int32_t neighbour) {
        return messages_.peer_of(actor, described.object, neighbour).value_or(kNothing);
    };
    for (const std::int32_t from : over.neighbours->in) add_step(actor, 0, rank_of(from), kNothing, 0);
    const std::vector<std::int32_t>& out = over.neighbours->out;
    const bool alike = common_.functions[described.function].operation.starts_with("Neighbor_allgather");
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t bytes = described.counts.size() == out.size() ? described.counts[i]
                                    : alike                               ? described.bytes
                                                                          : described.bytes / out.size();
        add_step(actor, 0, kNothing, rank_of(out[i]), bytes);
    }
}

}  // namespace waywiser::simulate
