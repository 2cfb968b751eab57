/// Dynamic rupture: the effect of friction on faces of the fault, several faces at a time, one in each lane.
///
/// The "minus" side of a face is the side whose outward normal n has a positive product with the problem's reference
/// direction. Slip is the plus side's displacement relative to the minus side's.
///
/// Sources: J. de la Puente, J.-P. Ampuero, M. Kaeser, "Dynamic rupture modeling on unstructured meshes using a
/// discontinuous Galerkin method", Journal of Geophysical Research 114, B10302, 2009, doi:10.1029/2008JB006271; C.
/// Pelties, A.-A. Gabriel, J.-P. Ampuero, "Verification of an ADER-DG method for complex dynamic rupture problems",
/// Geoscientific Model Development 7(3), 2014, pp. 847-866, doi:10.5194/gmd-7-847-2014.
#pragma once

#include "workloads/rupture/friction.hpp"
#include "workloads/rupture/kernels.hpp"

namespace waywiser::rupture {

/// A point counts as ruptured when its slip rate first exceeds this rate.
inline constexpr double rupture_rate_mps = 1e-3;

/// Constants of the fault faces of a group.
template <class Real>
struct alignas(64) FaultLanes {
    Lanes<Real> normal[3];                         ///< normal of the minus side
    Lanes<Real> minus_p, minus_s, plus_p, plus_s;  ///< weights of w in the locked interface's traction
    Lanes<Real> eta_s;                             ///< 1 / (1 / Z_s of minus + 1 / Z_s of plus)
    Lanes<Real> doubled_area;                      ///< 0 for an empty lane
    Lanes<Real> shear_modulus;                     ///< mean of both sides
    std::int64_t target[2][64 / sizeof(Real)];     ///< index in `published` of the jumps of minus and plus, or -1
};

/// The state of a point is stored in arrays of shape points x (...) x lanes.
template <class Real>
struct FaultWork {
    const Reference* reference;
    const QuadraturePoint* times;  ///< `order` quadrature points, as fractions of the step
    const Real* to_points;         ///< points x nodes, by columns
    const Real* from_points;       ///< nodes x points, by columns
    const FaultLanes<Real>* group;
    FrictionLaw law;
    const Real* face_mass;   ///< nodes x nodes
    const Real* traces;      ///< 2 sides x (2 order + 1) x nodes x 3: w of each derivative in time, the traction's
                             ///< integral, the traction of each derivative
    const Real* initial;     ///< 3: traction of the initial stress on the minus side
    Real* path;              ///< 1: slip path length
    Real* slip;              ///< 3
    Real* rupture_time;      ///< 1: negative before the rupture
    Real* peak_rate;         ///< 1
    double* work;            ///< lanes: work of the traction's change on the slip so far [J]
    double* predicted_work;  ///< lanes: the same work of the states on both sides before friction acts [J]
    Real* published;
    Real* scratch;  ///< fault_scratch_values(order) x lanes
    double time;
    double dt;
};

[[nodiscard]] constexpr int friction_points(int order) { return (order + 1) * (order + 1); }
[[nodiscard]] constexpr int fault_scratch_values(int order) {
    return 3 * face_functions(order) * (3 * order + 6) + 8 * friction_points(order);
}

template <class Real>
using FrictionKernel = void (*)(const FaultWork<Real>&);

template <class Real>
[[nodiscard]] FrictionKernel<Real> find_friction(int order);

}  // namespace waywiser::rupture
