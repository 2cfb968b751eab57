/// Trees along which data move, from the root or to it: the neighbours of one rank, without building the tree.
#pragma once

#include <vector>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

struct Node {
    int parent = kNobody;
    std::vector<int> children;
    int depth = 0;  ///< depth; 0 for the root
};

struct Tree {
    Node (*node)(const Operation&, int rank);
    int (*depth)(const Operation&);  ///< depth of the deepest rank
};

/// Chains whose lengths differ by at most one rank. The fan-out is their number; without a fan-out there is one chain.
extern const Tree kChain;

/// Levels of 1, 2, 4, … ranks; the children of a place follow it at its level's size and one more.
extern const Tree kBinaryTree;

/// The parent of a place has the place's last nonzero digit set to 0, in the base of the fan-out (default 4).
extern const Tree kKnomialTree;

/// Rooted at the last rank; all ranks of a subtree are consecutive, so that reductions keep their order.
extern const Tree kInOrderBinaryTree;

/// A tree of switches whose fan-out is the number of ports down (default 32); ranks are its leaves.
extern const Tree kSwitchTree;
[[nodiscard]] int switches_of(const Operation& op);

}  // namespace waywiser::collectives
