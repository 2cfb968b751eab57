/// The kernels of the solver, for the widest registers of the CPU and in plain C++.
#pragma once

#include "workloads/common/dispatch.hpp"
#include "workloads/lattice/fields.hpp"

#include <span>
#include <string_view>

namespace waywiser::lattice {

/// One hop to some blocks of a parity: `factor` times the sum over all directions of links times neighbours, plus
/// `add`.
struct HopWork {
    const Sites* sites;
    const Links* links;
    int parity;  ///< parity of the blocks that are written
    bool dagger;
    const double* in;   ///< spinors of the other parity
    const double* add;  ///< nullptr: `out` has only the scaled sum
    double factor;
    double* out;
    std::array<const double*, directions> received;  ///< half spinors of a face's blocks, all lanes
    std::span<const std::int32_t> blocks;
};

/// Half spinors of blocks at a face that are sent to another rank.
struct PackWork {
    const Sites* sites;
    const Links* links;
    int parity;     ///< parity of the blocks that are read
    int direction;  ///< direction in which the message is sent
    bool dagger;
    const double* in;
    double* message;  ///< twelve values for the lanes at the face, for each block
    std::span<const std::int32_t> blocks;
};

/// Sum over sites of the products of two fields. The product of each site is rounded to a multiple of the same number
/// before. Such sums are exact, so that they depend neither on ranks nor on threads.
/// Source: J. Demmel, H. D. Nguyen, "Fast reproducible floating-point summation", ARITH 21 (2013).
struct DotWork {
    const double* a;
    const double* b;
    double rounding;  ///< result of `rounding_for`
    Index blocks;
    double* sum;
};

/// Computes x += step p and r -= step q, and the sum of r's squares.
struct UpdateWork {
    double* x;
    double* r;
    const double* p;
    const double* q;
    double step;
    double rounding;
    Index blocks;
    double* sum;
};

/// Computes p = r + factor p.
struct TurnWork {
    double* p;
    const double* r;
    double factor;
    Index blocks;
};

/// \param bound  upper bound of the sums of magnitudes
[[nodiscard]] double rounding_for(double bound);

struct HopKernels {
    Kernel<HopWork> hop;
    Kernel<PackWork> pack;
};

struct FieldKernels {
    Kernel<DotWork> dot;
    Kernel<UpdateWork> update;
    Kernel<TurnWork> turn;
};

/// Number of lanes of double in the widest registers of this CPU.
[[nodiscard]] int most_lanes();

/// Kernels of a hop for `most_lanes` lanes.
[[nodiscard]] HopKernels vector_hop();
/// \param lanes  `most_lanes`, or 1
[[nodiscard]] FieldKernels field_kernels(int lanes);

/// Kernels that process site by site with the matrices gamma, for any number of lanes: an independent implementation.
[[nodiscard]] HopKernels plain_hop();

struct Variant {
    std::string_view name;
    int rows;  ///< rows of each link in memory
    bool vector;

    /// The third row of a link follows from the other two in SU(3). Links around an antiperiodic axis do not belong to
    /// SU(3).
    [[nodiscard]] bool supported(bool antiperiodic) const { return rows == 3 || !antiperiodic; }
};

inline constexpr Variant variants[] = {
    {"baseline", 3, false},
    {"vector", 3, true},
    {"two-row", 2, true},
};

}  // namespace waywiser::lattice
