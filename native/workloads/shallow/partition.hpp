/// Assignment of cells to ranks.
#pragma once

#include "workloads/shallow/mesh.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace waywiser::shallow {

/// The rank of each cell. An edge belongs to the lower of its two cells' ranks.
using Partition = std::vector<int>;

/// Ten rhombi, each in 4^k blocks: rank = rhombus 4^k + row 2^k + column. The poles go to the first and the last rank.
/// \throws InvalidInput  naming the nearest counts of ranks that can share the mesh so
[[nodiscard]] Partition by_rhombi(Index grid, Index ranks);

/// Centres are cut in two across their longest extent, in proportion to the ranks of both sides, until each has one.
[[nodiscard]] Partition by_bisection(std::span<const Vector3> centres, Index ranks);

/// A file as METIS and MPAS write it: the part of each cell, one a line.
/// \throws InvalidInput  if it cannot be read, or is of another mesh or number of ranks
[[nodiscard]] Partition from_file(const std::string& path, Index cells, Index ranks);

/// Makes the partition of `--partition`; `centres` is called only if they are needed.
[[nodiscard]] Partition make_partition(const std::string& asked, Index grid, Index ranks,
                                       const std::function<std::vector<Vector3>()>& centres);

/// The mesh as a graph in METIS's format.
/// \throws InvalidInput  if the file cannot be written
void write_graph(const std::string& path, const Topology& topology);

}  // namespace waywiser::shallow
