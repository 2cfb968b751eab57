/// The functions that make topologies, each in the file of its family; table.cpp lists them. All throw InvalidInput
/// for parameters that are not what they accept.
#pragma once

#include <memory>

#include "machine/parameters.hpp"
#include "machine/topology.hpp"

namespace waywiser::machine {

std::unique_ptr<Topology> make_torus(const Parameters& parameters);
std::unique_ptr<Topology> make_mesh(const Parameters& parameters);
std::unique_ptr<Topology> make_hypercube(const Parameters& parameters);
std::unique_ptr<Topology> make_fat_tree(const Parameters& parameters);
std::unique_ptr<Topology> make_k_ary_n_tree(const Parameters& parameters);
std::unique_ptr<Topology> make_three_level_fat_tree(const Parameters& parameters);
std::unique_ptr<Topology> make_hierarchy(const Parameters& parameters);
std::unique_ptr<Topology> make_all_to_all(const Parameters& parameters);
std::unique_ptr<Topology> make_hyperx(const Parameters& parameters);
std::unique_ptr<Topology> make_dragonfly(const Parameters& parameters);
std::unique_ptr<Topology> make_graph(const Parameters& parameters);

}  // namespace waywiser::machine
