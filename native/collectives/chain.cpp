/// Scan and exscan along the ranks: each rank adds its vector to the received one and passes the sum on.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {

Schedule chain_scan(const Operation& op, int rank) {
    Schedule steps;
    if (rank > 0) steps.push_back(reduce_from(rank - 1, rank - 1, kAll));
    if (rank + 1 < op.ranks) steps.push_back(send(rank, rank + 1, kAll));
    return steps;
}

Cost chain_cost(const Operation& op) {
    return {.rounds = op.ranks - 1, .messages = count(op.ranks - 1), .bytes = count(op.ranks - 1) * op.bytes};
}

}  // namespace waywiser::collectives
