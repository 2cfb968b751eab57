/// Grids of ranks folded onto the axes of a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "place/machine_axes.hpp"
#include "place/stencil.hpp"

namespace waywiser::place {

/// The mapping of a grid to the axes. The coordinate along each dimension is written in mixed radix, a digit for each
/// axis, in the reflected order: a step changes one digit, by one. The digits of all dimensions on an axis make up the
/// position there, again reflected. In a torus this is a folded line, on a hypercube a Gray code (Y. Saad, M. H.
/// Schultz, "Topological properties of hypercubes", IEEE Transactions on Computers 37(7), 1988).
struct Folding {
    struct Digit {
        std::uint32_t axis = 0;
        std::uint32_t radix = 1;
        std::uint32_t stride = 1;  ///< stride on the axis
    };
    /// digits of each dimension, the fastest first; digits of radix 1 are omitted
    std::vector<std::vector<Digit>> digits;
    double hop_bytes = 0;  ///< hop-bytes of neighbours along dimensions, including those of diagonals
};

/// The cheapest foldings by hop-bytes with which the grid fills the axes, at most `most`; none if no factorisation of
/// its lengths fits. All factorisations are searched, bounded by the cost of the axes that are settled.
[[nodiscard]] std::vector<Folding> foldings(const Stencil& stencil, const MachineAxes& machine,
                                            const machine::Topology& topology, std::size_t most);

/// The slot of each rank.
[[nodiscard]] std::vector<std::uint32_t> fold(const Stencil& stencil, const MachineAxes& machine,
                                              const Folding& folding);

}  // namespace waywiser::place
