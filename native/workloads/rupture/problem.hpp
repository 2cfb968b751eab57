/// The problem: material, boundary, friction, and the exact solution if there is a closed form.
#pragma once

#include "workloads/rupture/box.hpp"
#include "workloads/rupture/fault.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <string>

namespace waywiser::rupture {

/// An isotropic and linear elastic material, in SI units.
struct Material {
    double rho;
    double lambda;
    double mu;

    [[nodiscard]] double vp() const { return std::sqrt((lambda + 2 * mu) / rho); }
    [[nodiscard]] double vs() const { return std::sqrt(mu / rho); }
    [[nodiscard]] double zp() const { return rho * vp(); }
    [[nodiscard]] double zs() const { return rho * vs(); }
};

using State = std::array<double, quantities>;
using Stress = std::array<double, 6>;  ///< xx, yy, zz, xy, yz, xz; tension is positive [Pa]

/// A fault on which friction acts, and the stations at which its rupture is observed.
struct Rupture {
    FrictionLaw law;
    Point towards;  ///< direction from the minus side to the plus side
    std::function<Stress(const Point&)> stress;
    std::vector<Point> stations;
};

struct Problem {
    std::string name;
    std::function<Material(const Point& barycentre)> material;
    /// Exact state at a point and time [s]; empty for a rupture, which starts at rest.
    std::function<State(const Point&, double)> exact;
    std::optional<Rupture> rupture;
    double end_s;
};

/// Problems with a known solution, each in its own box.
///  - planewave: P and S waves that cross a periodic box in different directions.
///  - surface: an oblique and two normal standing waves between two free surfaces. The oblique wave is Lame's mode:
///    shear waves at 45 degrees (K. F. Graff, "Wave motion in elastic solids", Oxford, 1975, section 8.1).
///  - interface: P and S pulses that meet another material; transmitted waves leave through an absorbing side.
struct ClosedForm {
    Problem problem;
    Box box;
};

/// \param cells  cubes along the longest axis, at least 3; for `interface` a multiple of 5, so that no cube straddles
///               the interface
/// \param stretch  0 to 0.9: the length of cubes varies from 1 - stretch to 1 + stretch times the mean
/// \throws InvalidInput  if there is no such case
[[nodiscard]] ClosedForm make_closed_form(const std::string& name, int cells, double stretch);

/// TPV5 and TPV33 of the SCEC/USGS benchmark: R. A. Harris and others, "A suite of exercises for verifying dynamic
/// earthquake rupture codes", Seismological Research Letters 89(3), 2018, pp. 1146-1162, doi:10.1785/0220170222.
/// \throws InvalidInput  if there is no such case
[[nodiscard]] Problem make_rupture(const std::string& name);

/// Returns a box of cubes of size `spacing_m` at the fault. Cubes grow by a factor of `growth` away from the fault, and
/// reach to `reach_m` around the origin.
[[nodiscard]] Box make_rupture_box(const std::string& name, double spacing_m, double growth, double reach_m);

}  // namespace waywiser::rupture
