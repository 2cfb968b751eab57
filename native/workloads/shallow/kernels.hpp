/// The loops over a block of cells, for the widest registers.
///
/// Each row names what it reads: cells and edges of the rank's fields, or rows of the block's scratch. Sums run in an
/// order that the whole mesh defines, so that they do not depend on blocks or ranks.
///
/// Sources: J. Thuburn, T. D. Ringler, W. C. Skamarock, J. B. Klemp, Journal of Computational Physics 228 (2009),
/// pp. 8321-8335, doi:10.1016/j.jcp.2009.08.006; T. D. Ringler, J. Thuburn, J. B. Klemp, W. C. Skamarock, Journal of
/// Computational Physics 229 (2010), pp. 3065-3090, doi:10.1016/j.jcp.2009.12.007.
#pragma once

#include "workloads/common/dispatch.hpp"
#include "workloads/shallow/fields.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace waywiser::shallow {

/// Potential vorticity: (f + sum curl u) / (sum kites h).
struct VorticityRow {
    std::array<Number, 3> cells, edges;
    std::array<double, 3> kites, curls;
    double coriolis;
};

/// All values of a cell that enter the tendencies of its thickness and of the edges around it. Edge k leads to
/// neighbour k and lies between corners k - 1 and k.
///
/// Let f be the fluxes out of the cell, R the shares of its kites and S those of the first kites from edge j on. Then
/// the cell gives Q_j = sum (1/2 - S) f to the tangential flux at edge j. Its contribution to the next edge follows:
/// Q_(j+1) = Q_j + R_j sum f - (f_j + f_(j+1)) / 2.
struct CellRow {
    std::uint8_t sides;
    std::uint8_t new_corners;     ///< a bit for each corner that no cell before has: the next potential vorticities
    std::uint8_t complete_edges;  ///< a bit for each edge that has both gifts after this cell: the next rows of edges
    Number cell;
    std::array<Number, most_sides> neighbours, edges;
    std::array<Number, most_sides> corners;   ///< rows of scratch: potential vorticities
    std::array<Number, most_sides> gifts;     ///< rows of scratch: what the edges are given
    std::array<double, most_sides> halves;    ///< halves of fluxes divided by (h + h of the neighbour) u
    std::array<double, most_sides> firsts;    ///< Q_0 = sum firsts f / 2
    std::array<double, most_sides> kites;     ///< 2 R
    std::array<double, most_sides> energies;  ///< weights of u^2
    double bottom;                            ///< g b
    double divergence;                        ///< dh/dt over sum f / 2
};

/// du/dt = (first gift - second gift) / distance
struct EdgeRow {
    std::array<Number, 2> gifts;  ///< rows of scratch
    double inverse_distance;
};

/// Input of a block for the new values of its cells and edges; input that several blocks share is computed by each.
struct Block {
    Index own_cells;
    std::vector<VorticityRow> vorticities;
    std::vector<CellRow> cells;  ///< the block's own cells, and the cells beyond its edges
    std::vector<EdgeRow> edges;
    Index scratch_rows;
};

inline constexpr Number unused_gift = 0;  ///< row of scratch for values that no edge of the block takes
inline constexpr Number rate_row = 1;     ///< row of scratch for a cell's dh/dt
inline constexpr Number first_free_row = 2;

/// Thickness and velocity of the rank's cells and edges.
template <class Value>
struct Fields {
    Value *h, *u;
};

/// next = start + reach rate, the rate that of `at`; if a step ends with it,
/// next = start + ((first - start) + 2 (second - start) + (at - start)) / 3 + reach rate.
struct Stage {
    const Block* block;
    double* scratch;
    Index stride;  ///< distance of rows, also of scratch rows
    Index levels;
    double gravity;
    bool keeps_energy;  ///< true: keeps energy; false: keeps potential enstrophy
    Index work;         ///< times that tendencies are computed
    double reach;
    Fields<const double> at, start;
    Fields<double> next;
    bool ends_step;
    Fields<const double> first, second;
};
[[nodiscard]] Kernel<Stage> stage_kernel();

}  // namespace waywiser::shallow
