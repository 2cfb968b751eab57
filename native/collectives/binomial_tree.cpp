/// Broadcast, reduction, gather and scatter along binomial trees.
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

/// The tree in which a place's parent lacks the place's lowest 1 bit, so that the places of a subtree are consecutive.
class LowestBit {
public:
    LowestBit(const Operation& op, int rank)
        : op_(op), place_(place_of(op, rank)), level_(place_ == 0 ? levels() : std::countr_zero(count32(place_))) {}

    [[nodiscard]] int levels() const { return log2_ceiling(op_.ranks); }
    [[nodiscard]] int level() const { return level_; }  ///< for the root: all levels
    [[nodiscard]] bool is_root() const { return place_ == 0; }
    [[nodiscard]] int parent() const { return rank_at(op_, place_ & (place_ - 1)); }
    [[nodiscard]] int child(int level) const { return rank_at(op_, place_ + (1 << level)); }
    [[nodiscard]] bool has_child(int level) const { return level < level_ && place_ + (1 << level) < op_.ranks; }

    /// The blocks of a rank's subtree.
    [[nodiscard]] Blocks own() const { return blocks(place_, is_root() ? op_.ranks : 1 << level_); }
    [[nodiscard]] Blocks child_blocks(int level) const { return blocks(place_ + (1 << level), 1 << level); }

private:
    static unsigned count32(int n) { return static_cast<unsigned>(n); }

    [[nodiscard]] Blocks blocks(int place, int count) const {
        return {.first = rank_at(op_, place), .count = std::min(count, op_.ranks - place)};
    }

    const Operation& op_;
    int place_;
    int level_;
};

/// The schedule that sends blocks down from the root, to the largest subtree first.
template <class OwnBlocks, class ChildBlocks>
Schedule from_root(const LowestBit& tree, OwnBlocks own, ChildBlocks of_child) {
    Schedule steps;
    const auto round_of = [&](int level) { return tree.levels() - 1 - level; };
    if (!tree.is_root()) steps.push_back(receive(round_of(tree.level()), tree.parent(), own()));
    for (int level = tree.level() - 1; level >= 0; --level) {
        if (tree.has_child(level)) steps.push_back(send(round_of(level), tree.child(level), of_child(level)));
    }
    return steps;
}

}  // namespace

/// In round k, each rank at places 0 … 2^k - 1 from the root serves the rank 2^k further on.
Schedule binomial_bcast(const Operation& op, int rank) {
    Schedule steps;
    const int place = place_of(op, rank);
    for (int round = 0; 1 << round < op.ranks; ++round) {
        const int reach = 1 << round;
        if (place < reach && place + reach < op.ranks) {
            steps.push_back(send(round, rank_at(op, place + reach), kAll));
        } else if (place >= reach && place < 2 * reach) {
            steps.push_back(receive(round, rank_at(op, place - reach), kAll));
        }
    }
    return steps;
}

Schedule halving_bcast(const Operation& op, int rank) {
    return from_root(LowestBit(op, rank), [] { return kAll; }, [](int) { return kAll; });
}

Schedule binomial_reduce(const Operation& op, int rank) {
    const LowestBit tree(op, rank);
    Schedule steps;
    for (int level = 0; level < tree.level(); ++level) {
        if (tree.has_child(level)) steps.push_back(reduce_from(level, tree.child(level), kAll));
    }
    if (!tree.is_root()) steps.push_back(send(tree.level(), tree.parent(), kAll));
    return steps;
}

Schedule binomial_gather(const Operation& op, int rank) {
    const LowestBit tree(op, rank);
    Schedule steps;
    for (int level = 0; level < tree.level(); ++level) {
        if (tree.has_child(level)) steps.push_back(receive(level, tree.child(level), tree.child_blocks(level)));
    }
    if (!tree.is_root()) steps.push_back(send(tree.level(), tree.parent(), tree.own()));
    return steps;
}

Schedule binomial_scatter(const Operation& op, int rank) {
    const LowestBit tree(op, rank);
    return from_root(tree, [&] { return tree.own(); }, [&](int level) { return tree.child_blocks(level); });
}

Cost binomial_cost(const Operation& op) {
    return {.rounds = log2_ceiling(op.ranks), .messages = count(op.ranks - 1), .bytes = count(op.ranks - 1) * op.bytes};
}

/// A block moves up one level for each 1 bit of its place.
Cost binomial_blocks_cost(const Operation& op) {
    std::uint64_t bits = 0;
    for (int place = 1; place < op.ranks; ++place) bits += count(std::popcount(static_cast<unsigned>(place)));
    return {.rounds = log2_ceiling(op.ranks), .messages = count(op.ranks - 1), .bytes = bits * op.bytes};
}

}  // namespace waywiser::collectives
