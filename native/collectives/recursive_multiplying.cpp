/// Allreduce by recursive multiplying: in each round, groups of k ranks exchange the whole vector.
#include "collectives/algorithms.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The ranks beyond the largest power of k send their vectors to the others in turn and wait.
struct Groups {
    explicit Groups(const Operation& op) : k(op.fan_out > 1 ? op.fan_out : 2) {
        while (static_cast<long>(active) * k <= op.ranks) {
            active *= k;
            ++rounds;
        }
        extra = op.ranks - active;
        fold = extra > 0 ? 1 : 0;
    }

    int k;
    int active = 1;
    int rounds = 0;
    int extra = 0;
    int fold = 0;
};

}  // namespace

Schedule multiplying_allreduce(const Operation& op, int rank) {
    const Groups groups(op);
    const int last = groups.fold + groups.rounds;
    if (rank >= groups.active) {
        const int peer = (rank - groups.active) % groups.active;
        return {send(0, peer, kAll), receive(last, peer, kAll)};
    }
    Schedule steps;
    for (int from = rank + groups.active; from < op.ranks; from += groups.active) {
        steps.push_back(reduce_from(0, from, kAll));
    }
    int round = groups.fold;
    for (int unit = 1; unit < groups.active; unit *= groups.k, ++round) {
        const int digit = rank / unit % groups.k;
        for (int shift = 1; shift < groups.k; ++shift) {
            const auto at = [&](int partner_digit) { return rank + (partner_digit % groups.k - digit) * unit; };
            steps.push_back(exchange(round, at(digit + shift), kAll, at(digit - shift + groups.k), kAll, true));
        }
    }
    for (int to = rank + groups.active; to < op.ranks; to += groups.active) steps.push_back(send(last, to, kAll));
    return steps;
}

Cost multiplying_cost(const Operation& op) {
    const Groups groups(op);
    const std::uint64_t messages =
        2 * count(groups.extra) + count(groups.active) * count(groups.k - 1) * count(groups.rounds);
    return {.rounds = groups.rounds + 2 * groups.fold, .messages = messages, .bytes = messages * op.bytes};
}

}  // namespace waywiser::collectives
