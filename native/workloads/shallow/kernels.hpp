/// The loops over a block of cells, for the widest vector registers.
///
/// Each row has the numbers of its inputs: cells and edges of the rank's fields, or rows of the block's scratch memory.
/// Sums run in an order that the whole mesh defines, so that results do not depend on blocks or ranks.
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

/// Coefficients of a cell for the tendencies of its thickness and of the velocities at its edges. Edge k leads to
/// neighbour k and lies between corners k - 1 and k.
///
/// Let f be a quarter of the fluxes out of the cell, R the kites' fractions of its area, and S the partial sums of R
/// from edge j on. Then the cell contributes Q_j = sum (1/2 - S) f to a quarter of the tangential flux at edge j. The
/// contribution to the next edge follows: Q_(j+1) = Q_j + R_j sum f - (f_j + f_(j+1)) / 2.
struct CellRow {
    std::uint8_t sides;
    std::uint8_t new_corners;     ///< a bit for each corner that no earlier cell has; `vorticities` follows this order
    std::uint8_t complete_edges;  ///< a bit for each edge that this cell completes; `Block::edges` follows this order
    Number cell;
    std::array<Number, most_sides> neighbours, edges;
    std::array<Number, most_sides> corners;   ///< scratch rows of potential vorticities
    std::array<Number, most_sides> gifts;     ///< scratch rows of contributions to the edges
    std::array<double, most_sides> halves;    ///< f / 2 divided by (h + h of the neighbour) u
    std::array<double, most_sides> firsts;    ///< Q_0 = sum firsts f / 2
    std::array<double, most_sides> kites;     ///< 2 R
    std::array<double, most_sides> energies;  ///< weights of u^2
    double bottom;                            ///< g b
    double divergence;                        ///< dh/dt divided by sum f / 2
};

/// du/dt = (contribution of the first cell - contribution of the second cell) / distance
struct EdgeRow {
    std::array<Number, 2> gifts;  ///< scratch rows of the contributions
    double inverse_distance;
};

/// A block of cells and edges, and the rows that are needed to advance them. Each block computes values itself, even if
/// several blocks need them.
struct Block {
    Index own_cells;
    std::vector<VorticityRow> vorticities;
    std::vector<CellRow> cells;  ///< the block's own cells, and the cells beyond its edges
    std::vector<EdgeRow> edges;
    Index scratch_rows;
};

inline constexpr Number unused_gift = 0;  ///< scratch row for contributions that no edge of the block reads
inline constexpr Number rate_row = 1;     ///< scratch row for a cell's dh/dt
inline constexpr Number first_free_row = 2;

/// Thickness and velocity of the rank's cells and edges.
template <class Value>
struct Fields {
    Value *h, *u;
};

/// Computes next = start + reach * rate(at). If the stage ends a step, it computes next = start + ((first - start) + 2
/// (second - start) + (at - start)) / 3 + reach * rate(at).
struct Stage {
    const Block* block;
    double* scratch;
    Index stride;  ///< distance of rows, also of scratch rows
    Index levels;
    double gravity;
    bool keeps_energy;  ///< true: conserves energy; false: conserves potential enstrophy
    Index work;         ///< number of times that tendencies are computed
    double reach;
    Fields<const double> at, start;
    Fields<double> next;
    bool ends_step;
    Fields<const double> first, second;
};
[[nodiscard]] Kernel<Stage> stage_kernel();

}  // namespace waywiser::shallow
