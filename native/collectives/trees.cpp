#include "collectives/trees.hpp"

#include <algorithm>
#include <bit>

#include "collectives/powers.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

int fan_out_or(const Operation& op, int own) { return op.fan_out > 0 ? op.fan_out : own; }

/// Chains of nearly equal lengths; the first ones may be longer by one rank.
struct Chains {
    explicit Chains(const Operation& op)
        : count(std::min(fan_out_or(op, 1), std::max(op.ranks - 1, 1))),
          length((op.ranks - 1) / count),
          longer((op.ranks - 1) % count) {}

    [[nodiscard]] int first(int chain) const { return 1 + chain * length + std::min(chain, longer); }
    [[nodiscard]] int of(int place) const {
        const int in_longer = longer * (length + 1);
        return place <= in_longer ? (place - 1) / (length + 1) : longer + (place - 1 - in_longer) / length;
    }

    int count;
    int length;
    int longer;
};

Node chain_node(const Operation& op, int rank) {
    const Chains chains(op);
    const int place = place_of(op, rank);
    Node node;
    if (place == 0) {
        for (int chain = 0; chain < chains.count && chains.first(chain) < op.ranks; ++chain) {
            node.children.push_back(rank_at(op, chains.first(chain)));
        }
        return node;
    }
    const int chain = chains.of(place);
    node.depth = place - chains.first(chain) + 1;
    node.parent = rank_at(op, node.depth == 1 ? 0 : place - 1);
    if (place + 1 < chains.first(chain + 1)) node.children.push_back(rank_at(op, place + 1));
    return node;
}

int chain_depth(const Operation& op) {
    const Chains chains(op);
    return chains.length + (chains.longer > 0 ? 1 : 0);
}

Node binary_node(const Operation& op, int rank) {
    const int place = place_of(op, rank);
    Node node;
    node.depth = log2_floor(place + 1);
    const int width = 1 << node.depth;  // This is the width of the level, which starts at width - 1.
    for (const int child : {place + width, place + 2 * width}) {
        if (child < op.ranks) node.children.push_back(rank_at(op, child));
    }
    if (place > 0) {
        const int above = width / 2;
        node.parent = rank_at(op, place - above >= width - 1 ? place - width : place - above);
    }
    return node;
}

int binary_depth(const Operation& op) { return log2_floor(op.ranks); }

Node knomial_node(const Operation& op, int rank) {
    const int radix = fan_out_or(op, 4);
    const int place = place_of(op, rank);
    Node node;
    for (int rest = place; rest > 0; rest /= radix) node.depth += rest % radix > 0 ? 1 : 0;
    long unit = 1;
    while (unit < op.ranks && place % (unit * radix) == 0) unit *= radix;
    if (place > 0) node.parent = rank_at(op, static_cast<int>(place - place % (unit * radix)));
    for (unit /= radix; unit > 0; unit /= radix) {
        for (int digit = 1; digit < radix; ++digit) {
            const long child = place + digit * unit;
            if (child < op.ranks) node.children.push_back(rank_at(op, static_cast<int>(child)));
        }
    }
    return node;
}

/// The largest number of non-zero digits that any rank has in base `radix`. If the last rank, of n digits, is at least
/// 11…1, this is n, else n - 1.
int knomial_depth(const Operation& op) {
    const int radix = fan_out_or(op, 4);
    int digits = 0;
    for (long ones = 1; ones <= op.ranks - 1; ones = ones * radix + 1) ++digits;
    return digits;
}

/// The last of n consecutive ranks is the root; the first n / 2 ranks are one subtree, the rest is the other.
Node in_order_node(const Operation& op, int rank) {
    int first = 0;
    int n = op.ranks;
    Node node;
    while (rank != first + n - 1) {
        node.parent = first + n - 1;
        ++node.depth;
        const int half = n / 2;
        if (rank < first + half) {
            n = half;
        } else {
            first += half;
            n -= half + 1;
        }
    }
    if (n > 1) {
        if (n - n / 2 > 1) node.children.push_back(rank - 1);
        node.children.push_back(first + n / 2 - 1);
    }
    return node;
}

int in_order_depth(const Operation& op) { return log2_floor(op.ranks); }

/// Levels of switches from the leaves up; the last level is one switch.
struct SwitchLevels {
    explicit SwitchLevels(const Operation& op) : radix(std::max(fan_out_or(op, 32), 2)) {
        int first = op.ranks;
        for (int below = op.ranks; firsts.empty() || below > 1; below = sizes.back()) {
            firsts.push_back(first);
            sizes.push_back((below + radix - 1) / radix);
            first += sizes.back();
        }
        end = first;
    }

    int radix;
    std::vector<int> firsts;  ///< number of each level's first switch
    std::vector<int> sizes;
    int end = 0;
};

Node switch_node(const Operation& op, int number) {
    const SwitchLevels levels(op);
    std::size_t level = 0;  // Level 0 are the ranks.
    while (level < levels.firsts.size() && number >= levels.firsts[level]) ++level;
    const auto first_of = [&](std::size_t at) { return at == 0 ? 0 : levels.firsts[at - 1]; };
    const int place = number - first_of(level);
    Node node;
    node.depth = static_cast<int>(levels.firsts.size() - level);
    if (node.depth > 0) node.parent = first_of(level + 1) + place / levels.radix;
    if (level == 0) return node;
    const int below = level == 1 ? op.ranks : levels.sizes[level - 2];
    for (int child = place * levels.radix; child < std::min((place + 1) * levels.radix, below); ++child) {
        node.children.push_back(first_of(level - 1) + child);
    }
    return node;
}

int switch_depth(const Operation& op) { return static_cast<int>(SwitchLevels(op).firsts.size()); }

}  // namespace

const Tree kChain{chain_node, chain_depth};
const Tree kBinaryTree{binary_node, binary_depth};
const Tree kKnomialTree{knomial_node, knomial_depth};
const Tree kInOrderBinaryTree{in_order_node, in_order_depth};
const Tree kSwitchTree{switch_node, switch_depth};

int switches_of(const Operation& op) { return SwitchLevels(op).end - op.ranks; }

}  // namespace waywiser::collectives
