#include "collectives/stages.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

int groups(const Stage& stage) {
    return stage.level == Level::within ? stage.nodes->of_size(stage.operation.ranks) : 1;
}

}  // namespace

int end_of(std::span<const Stage> stages) {
    int end = 0;
    for (const Stage& stage : stages) end = std::max(end, stage.begin + stage.algorithm->cost(stage.operation).rounds);
    return end;
}

void append(Stages& stages, const Stages& more) {
    const int end = end_of(stages);
    for (Stage stage : more) {
        stage.begin += end;
        stages.push_back(stage);
    }
}

Stage stage(Collective collective, std::string_view name, const Operation& op) {
    const Algorithm& named = algorithm(collective, name);
    if (named.supports(op)) return {.algorithm = &named, .operation = op};
    const auto serves = [&](const Algorithm& candidate) {
        return candidate.collective == collective && candidate.supports(op);
    };
    const auto substitute = std::ranges::find_if(algorithms(), serves);
    require(substitute != algorithms().end(),
            "no algorithm serves an operation of " + std::to_string(op.ranks) + " ranks");
    return {.algorithm = &*substitute, .operation = op, .exact = false};
}

Stages stages_by(const Algorithm& algorithm, const Operation& op) {
    if (algorithm.stages != nullptr) return algorithm.stages(op);
    return {{.algorithm = &algorithm, .operation = op}};
}

Cost cost_of(std::span<const Stage> stages) {
    Cost all;
    for (const Stage& stage : stages) {
        const Cost of_group = stage.algorithm->cost(stage.operation);
        all.messages += of_group.messages * count(groups(stage));
        all.bytes += of_group.bytes * count(groups(stage));
    }
    all.rounds = end_of(stages);
    return all;
}

GroupOfRank group_of(const Stage& stage, int rank) {
    if (stage.level == Level::everyone) return {.number = rank};
    const int place = stage.nodes->place(rank);
    if (stage.level == Level::within) {
        const std::span<const int> ranks = stage.nodes->beside(rank);
        return {.ranks = ranks, .number = std::ssize(ranks) == stage.operation.ranks ? place : kNobody};
    }
    return {.ranks = stage.nodes->at(stage.place),
            .number = place == stage.place ? stage.nodes->number_between(rank) : kNobody};
}

std::vector<Move> moves(std::span<const Stage> stages, int rank) {
    std::vector<Move> rank_moves;
    for (const Stage& stage : stages) {
        const GroupOfRank group = group_of(stage, rank);
        if (group.number == kNobody) continue;
        const auto rank_of = [&](int number) {
            return number == kNobody || group.ranks.empty() ? number : group.ranks[static_cast<std::size_t>(number)];
        };
        const auto bytes = [&](Blocks blocks) { return bytes_of(*stage.algorithm, stage.operation, blocks); };
        for (const Step& step : stage.algorithm->schedule(stage.operation, group.number)) {
            rank_moves.push_back({.round = stage.begin + step.round,
                                  .to = rank_of(step.to),
                                  .sent_bytes = bytes(step.sent),
                                  .from = rank_of(step.from),
                                  .received_bytes = bytes(step.received),
                                  .combines = step.combines});
        }
    }
    std::ranges::stable_sort(rank_moves, {}, &Move::round);
    return rank_moves;
}

}  // namespace waywiser::collectives
