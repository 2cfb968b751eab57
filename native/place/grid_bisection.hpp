/// Grids of ranks bisected recursively at the boundaries of the machine's groups.
#pragma once

#include <cstdint>
#include <vector>

#include "place/slots.hpp"
#include "place/stencil.hpp"

namespace waywiser::place {

/// The dimension of the ranks' grid that is cut along each dimension of the nodes' grid; a number that is too large
/// permits any dimension. Empty if nodes form no grid.
using Alignment = std::vector<std::size_t>;

/// The cheapest alignments if tiles were not divided, at most `most`; the first one is empty.
[[nodiscard]] std::vector<Alignment> alignments(const Stencil& stencil, const machine::Topology& topology,
                                                std::size_t most);

/// The slot of each rank, for equal numbers of slots and ranks. Nodes may have any size and be anywhere in the machine.
/// A part of the grid is cut into as many ranks as the widest groups of its slots hold. The cut is across the dimension
/// that is aligned with these groups, or else across the cheapest dimension. Of the two orientations, the one closer to
/// the ranks around the part is chosen.
///
/// This is recursive coordinate bisection (M. J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform
/// problems on multiprocessors", IEEE Transactions on Computers 36(5), 1987) with the machine's own sizes, in the
/// manner of dual recursive bipartitioning (F. Pellegrini, J. Roman, "Scotch", HPCN Europe 1996).
[[nodiscard]] std::vector<std::uint32_t> bisect_grid(const Stencil& stencil, const Slots& slots,
                                                     std::vector<std::uint32_t> used, const Alignment& alignment = {});

}  // namespace waywiser::place
