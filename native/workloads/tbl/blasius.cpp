#include "workloads/tbl/blasius.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace waywiser::tbl {
namespace {

constexpr double wall_slope = 0.33205733621513;          // f''(0)
constexpr double displacement_of_length = 1.7207876573;  // eta - f far from the plate
constexpr double momentum_of_length = 2 * wall_slope;
constexpr double step = 0.01;
constexpr double far_away = 10;  // f' differs from 1 by 2e-9 at this distance.

}  // namespace

Blasius::Blasius(double reynolds)
    : viscosity_(1 / reynolds), from_edge_(1 / (displacement_of_length * displacement_of_length * viscosity_)) {
    const auto moved = [](const State& s, const State& k, double by) {
        return State{s.f + by * k.f, s.first + by * k.first, s.second + by * k.second};
    };
    State s{0, 0, wall_slope};
    for (states_.push_back(s); step * static_cast<double>(states_.size()) <= far_away + step; states_.push_back(s)) {
        const State k1 = slope(s);
        const State k2 = slope(moved(s, k1, step / 2));
        const State k3 = slope(moved(s, k2, step / 2));
        const State k4 = slope(moved(s, k3, step));
        s = moved(moved(moved(moved(s, k1, step / 6), k2, step / 3), k3, step / 3), k4, step / 6);
    }
}

Blasius::State Blasius::slope(const State& s) { return {s.first, s.second, -s.f * s.second / 2}; }

Blasius::State Blasius::at(double eta) const {
    const double near = std::min(eta, far_away);
    const auto before = static_cast<std::size_t>(near / step);
    const double by = near - step * static_cast<double>(before);
    // Taylor series about the preceding tabulated state; the first neglected term of the velocity is about 1e-10.
    const State& s = states_[before];
    const State k = slope(s);
    const double fourth = -(s.first * s.second + s.f * k.second) / 2;
    return {s.f + by * (s.first + by * (s.second / 2 + by * (k.second / 6 + by * fourth / 24))) + (eta - near),
            s.first + by * (s.second + by * (k.second / 2 + by * fourth / 6)),
            s.second + by * (k.second + by * fourth / 2)};
}

double Blasius::length(double x) const { return std::sqrt(viscosity_ * (from_edge_ + x)); }

double Blasius::along(double x, double y) const { return at(y / length(x)).first; }

double Blasius::across(double x, double y) const {
    const double eta = y / length(x);
    const State s = at(eta);
    return length(x) / (from_edge_ + x) * (eta * s.first - s.f) / 2;
}

double Blasius::displacement(double x) const { return displacement_of_length * length(x); }

double Blasius::momentum(double x) const { return momentum_of_length * length(x); }

}  // namespace waywiser::tbl
