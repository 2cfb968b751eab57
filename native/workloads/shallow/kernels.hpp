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
#include <vector>

namespace waywiser::shallow {

inline constexpr std::size_t most_others = 10;  ///< edges that a tangential flux is made of

/// Potential vorticity: (f + sum curl u) / (sum kites h).
struct VorticityRow {
    std::array<Number, 3> cells, edges;
    std::array<double, 3> kites, curls;
    double coriolis;
};

/// The mass flux h u, and the potential vorticity at the edge.
struct FluxRow {
    Number edge;
    std::array<Number, 2> cells;
    std::array<Number, 2> vorticities;  ///< rows of scratch
};

/// g (h + b) + sum weights u^2
struct EnergyRow {
    Number cell;
    double bottom;  ///< g b
    std::array<Number, most_sides> edges;
    std::array<double, most_sides> weights;
};

/// dh/dt = sum weights F
struct ThicknessRow {
    std::array<Number, most_sides> fluxes;  ///< rows of scratch
    std::array<double, most_sides> weights;
};

/// du/dt = sum weights F (q + own q) - (second energy - first energy) / distance
struct VelocityRow {
    Number own;  ///< the edge's flux; rows of scratch, as the others
    std::array<Number, 2> energies;
    std::array<Number, most_others> fluxes;
    std::array<double, most_others> weights;  ///< 0 of those that are not there
    double inverse_distance;
};

/// What a block needs to give new values to its cells and edges; what several blocks need, each computes.
struct Block {
    Index first_cell, first_edge;
    std::vector<VorticityRow> vorticities;
    std::vector<FluxRow> fluxes;
    std::vector<EnergyRow> energies;
    std::vector<ThicknessRow> thicknesses;
    std::vector<VelocityRow> velocities;

    [[nodiscard]] Index scratch_rows() const;
};

struct Tendencies {
    const Block* block;
    const double *h, *u;  ///< of the rank's fields
    Index stride;         ///< of their rows, and those of scratch
    Index levels;
    double gravity;
    bool keeps_energy;  ///< else potential enstrophy
    double* scratch;    ///< the tendencies come first: of the cells, and of the edges
};
[[nodiscard]] Kernel<Tendencies> tendencies_kernel();

/// sum = base + weight rate, and next = start + reach rate where there is a next one.
struct Update {
    Index values;
    const double* rate;
    const double* base;
    double* sum;
    double weight;
    const double* start;
    double* next;  ///< or none
    double reach;
};
[[nodiscard]] Kernel<Update> update_kernel();

}  // namespace waywiser::shallow
