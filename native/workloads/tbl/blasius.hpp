/// The laminar boundary layer on a flat plate: the similarity solution of the boundary-layer equations.
///
/// Source: H. Blasius, "Grenzschichten in Flüssigkeiten mit kleiner Reibung", Z. Math. Phys. 56 (1908).
#pragma once

#include <vector>

namespace waywiser::tbl {

/// Velocities are relative to the free-stream velocity, lengths to the displacement thickness at x = 0.
class Blasius {
public:
    /// \param reynolds  Reynolds number of the displacement thickness at x = 0
    explicit Blasius(double reynolds);

    /// Velocities at x downstream of the station with displacement thickness 1, and at distance y from the plate.
    [[nodiscard]] double along(double x, double y) const;
    [[nodiscard]] double across(double x, double y) const;
    [[nodiscard]] double displacement(double x) const;
    [[nodiscard]] double momentum(double x) const;

private:
    /// The stream function f and its derivatives with respect to eta = y / length(x): f''' + f f'' / 2 = 0.
    struct State {
        double f, first, second;
    };
    [[nodiscard]] static State slope(const State& s);
    [[nodiscard]] State at(double eta) const;
    [[nodiscard]] double length(double x) const;

    double viscosity_;
    double from_edge_;  ///< distance from the plate's leading edge to x = 0
    std::vector<State> states_;
};

}  // namespace waywiser::tbl
