/// Medium, source and receivers of the modelling case.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/propa/settings.hpp"

#include <array>
#include <vector>

namespace waywiser::propa {

/// Velocities at a rank's points [m/s], axis 1 first; empty without a velocity file.
struct Medium {
    std::vector<double> velocities_m_s;
    double slowest_m_s = 0;
    double fastest_m_s = 0;  ///< slowest and fastest are extremes over all ranks

    [[nodiscard]] bool homogeneous() const { return slowest_m_s == fastest_m_s; }
};

/// Positions are indices of points of the whole grid.
struct Survey {
    std::array<double, 3> spacings_m{};
    Index3 source{};
    std::vector<Index3> receivers;

    /// Distance between two points [m].
    [[nodiscard]] double distance_m(const Index3& a, const Index3& b) const;
    [[nodiscard]] std::array<double, 3> position_m(const Index3& point) const;
};

/// The settings, with the number of points of the velocity file if one is given. Collective.
/// \throws InvalidInput  on all ranks
[[nodiscard]] Settings with_points_of_model(const Settings& settings, const Ranks& ranks);

/// Collective.
/// \throws InvalidInput  on all ranks
[[nodiscard]] Medium read_medium(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks);

/// Collective.
/// \throws InvalidInput  on all ranks
[[nodiscard]] Survey read_survey(const Settings& settings, const Ranks& ranks);

/// Longest stable time step of leapfrog in the medium [s].
[[nodiscard]] double longest_stable_dt(const Survey& survey, const Medium& medium, int order);

/// The Ricker wavelet (1 - 2 a^2) exp(-a^2), a = pi f (t - 1.5 / f). Its magnitude at t = 0 is 1e-8 of its greatest
/// value.
///
/// Source: N. Ricker, "The form and laws of propagation of seismic wavelets", Geophysics 18, 1953, pp. 10-40,
/// doi:10.1190/1.1437843.
[[nodiscard]] double ricker(double frequency_Hz, double t_s);

/// Duration of a wavelet [s].
[[nodiscard]] inline double ricker_length_s(double frequency_Hz) { return 3 / frequency_Hz; }

}  // namespace waywiser::propa
