/// Trees that data goes along, from the root or to it: the neighbours of one rank, without building the tree.
#pragma once

#include <vector>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

struct Node {
    int parent = kNobody;
    std::vector<int> children;
    int depth = 0;  ///< of the root: 0
};

struct Tree {
    Node (*node)(const Operation&, int rank);
    int (*depth)(const Operation&);  ///< of the deepest rank
};

/// Chains whose lengths differ by at most one rank. The fan-out is their number; without a fan-out there is one chain.
extern const Tree kChain;

/// Levels of 1, 2, 4, … ranks; the children of a place lie its level's size and twice that further on.
extern const Tree kBinaryTree;

/// A place's parent has its last digit that is not 0, to the base of the fan-out (else 4), set to 0.
extern const Tree kKnomialTree;

/// Rooted at the last rank; all ranks of a subtree are consecutive, so that reductions keep their order.
extern const Tree kInOrderBinaryTree;

/// A tree of switches with as many ports down as the fan-out says (else 32); ranks are its leaves.
extern const Tree kSwitchTree;
[[nodiscard]] int switches_of(const Operation& op);

}  // namespace waywiser::collectives
