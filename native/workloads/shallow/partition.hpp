/// Assignment of cells to ranks.
#pragma once

#include "workloads/shallow/mesh.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace waywiser::shallow {

/// The rank of each cell. An edge belongs to the lower rank of its two cells.
using Partition = std::vector<int>;

/// Ten rhombi, each divided into 4^k blocks: rank = rhombus 4^k + row 2^k + column of the block. The poles belong to
/// the first and the last rank.
/// \throws InvalidInput  if the number of ranks is not 10 x 4^k; the message names the nearest valid counts
[[nodiscard]] Partition by_rhombi(Index grid, Index ranks);

/// Recursive bisection: centres are divided across their longest extent, in proportion to the ranks of both sides.
[[nodiscard]] Partition by_bisection(std::span<const Vector3> centres, Index ranks);

/// Reads a file as METIS and MPAS write it: the part of each cell, one per line.
/// \throws InvalidInput  if the file cannot be read, or is for another mesh or number of ranks
[[nodiscard]] Partition from_file(const std::string& path, Index cells, Index ranks);

/// Makes the partition of `--partition`; `centres` is called only for recursive bisection.
[[nodiscard]] Partition make_partition(const std::string& method, Index grid, Index ranks,
                                       const std::function<std::vector<Vector3>()>& centres);

/// Writes the mesh as a graph in the METIS format.
/// \throws InvalidInput  if the file cannot be written
void write_graph(const std::string& path, const Topology& topology);

}  // namespace waywiser::shallow
