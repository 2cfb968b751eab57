/// Allgather around a ring: every block goes once around.
#include "collectives/algorithms.hpp"

namespace waywiser::collectives {

Schedule ring_allgather(const Operation& op, int rank) {
    const int p = op.ranks;
    Schedule steps;
    for (int round = 0; round < p - 1; ++round) {
        steps.push_back({.round = round,
                         .to = (rank + 1) % p,
                         .sent = {.first = (rank - round + p) % p, .count = 1},
                         .from = (rank - 1 + p) % p,
                         .received = {.first = (rank - 1 - round + 2 * p) % p, .count = 1}});
    }
    return steps;
}

Cost ring_cost(const Operation& op) {
    const auto p = static_cast<std::uint64_t>(op.ranks);
    return {.rounds = op.ranks - 1, .messages = p * (p - 1), .bytes = p * (p - 1) * op.bytes};
}

}  // namespace waywiser::collectives
