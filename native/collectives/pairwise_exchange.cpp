/// Alltoall: in each round every rank sends to one other and receives from one other.
#include "collectives/algorithms.hpp"

namespace waywiser::collectives {

Schedule pairwise_alltoall(const Operation& op, int rank) {
    const int p = op.ranks;
    Schedule steps;
    for (int shift = 1; shift < p; ++shift) {
        const int to = (rank + shift) % p;
        const int from = (rank - shift + p) % p;
        steps.push_back({.round = shift - 1,
                         .to = to,
                         .sent = {.first = rank * p + to, .count = 1},
                         .from = from,
                         .received = {.first = from * p + rank, .count = 1}});
    }
    return steps;
}

Cost pairwise_cost(const Operation& op) {
    const auto p = static_cast<std::uint64_t>(op.ranks);
    return {.rounds = op.ranks - 1, .messages = p * (p - 1), .bytes = p * (p - 1) * op.bytes};
}

}  // namespace waywiser::collectives
