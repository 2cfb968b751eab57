/// The functions that make topologies, each in the file of its family; table.cpp lists them. All throw InvalidInput for
/// invalid parameters.
#pragma once

#include <memory>

#include "machine/parameters.hpp"
#include "machine/topology.hpp"

namespace waywiser::machine {

using MakeTopology = std::unique_ptr<Topology>(const Parameters& parameters);
MakeTopology make_torus, make_mesh, make_hypercube, make_fat_tree, make_k_ary_n_tree, make_three_level_fat_tree,
    make_hierarchy, make_all_to_all, make_hyperx, make_dragonfly, make_graph;

}  // namespace waywiser::machine
