/// Scan and exscan along the ranks: each adds its own vector to what comes and passes it on.
#include "collectives/algorithms.hpp"

namespace waywiser::collectives {

Schedule chain_scan(const Operation& op, int rank) {
    const Blocks all{.first = 0, .count = 1};
    Schedule steps;
    if (rank > 0) steps.push_back({.round = rank - 1, .from = rank - 1, .received = all, .combines = true});
    if (rank + 1 < op.ranks) steps.push_back({.round = rank, .to = rank + 1, .sent = all});
    return steps;
}

Cost chain_cost(const Operation& op) {
    const auto messages = static_cast<std::uint64_t>(op.ranks - 1);
    return {.rounds = op.ranks - 1, .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace waywiser::collectives
