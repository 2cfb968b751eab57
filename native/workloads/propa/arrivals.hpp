/// Recordings of a point source in a homogeneous medium by receivers: the truth of the modelling case.
///
/// P_tt / c^2 = Laplace P + s(t) delta(x - x_s) has the solution s(t - r/c) / (4 pi r). A free surface adds the
/// solution of the mirrored source with the opposite sign. Leapfrog's waves run at another speed and have another
/// height in each direction, which follow from the difference formula: so the error is known beforehand, too.
///
/// Source: K. Aki, P. G. Richards, "Quantitative seismology", 2nd edition, University Science Books, 2002, section 4.1.
#pragma once

#include "workloads/propa/survey.hpp"

#include <string>
#include <vector>

namespace waywiser::propa {

/// Metrics of the receiver whose error is farthest from what is predicted. Errors are of the recorded wave before the
/// first reflection arrives: the root of sum (computed - exact)^2 / sum exact^2.
struct Arrivals {
    Index checked = 0;  ///< receivers
    double error = 0;
    double predicted = 0;   ///< ratio by speed and height of the discrete waves
    double allowed = 0;     ///< between the two
    bool finite = true;     ///< everything that was recorded
    std::string unchecked;  ///< why no receiver was compared, or empty

    /// The reason why the run is not verified, in one sentence; empty if it is, or if there was nothing to compare.
    [[nodiscard]] std::string failure() const;
};

/// \param traces  traces of all receivers, one after the other, with one value per step
[[nodiscard]] Arrivals check_arrivals(const Settings& settings, const Survey& survey, const Medium& medium,
                                      const std::vector<double>& traces);

}  // namespace waywiser::propa
