/// Verification of the modelling case: receivers' records of a point source in a homogeneous medium.
///
/// P_tt / c^2 = Laplace P + s(t) delta(x - x_s) has the solution s(t - r/c) / (4 pi r). A free surface adds the
/// solution of the mirrored source with the opposite sign. Leapfrog waves have another speed and amplitude in each
/// direction, which follow from the difference formula. The error is therefore predicted as well.
///
/// Source: K. Aki, P. G. Richards, "Quantitative seismology", 2nd edition, University Science Books, 2002, section 4.1.
#pragma once

#include "workloads/propa/survey.hpp"

#include <string>
#include <vector>

namespace waywiser::propa {

/// Metrics of the receiver whose error is farthest from the prediction. An error is the root of sum (computed -
/// exact)^2 / sum exact^2 of the recorded wave before the first reflection arrives.
struct Arrivals {
    Index checked = 0;  ///< number of checked receivers
    double error = 0;
    double predicted = 0;   ///< error from the speed and amplitude of the discrete waves
    double allowed = 0;     ///< allowed difference between error and prediction
    bool finite = true;     ///< true if all recorded values are finite
    std::string unchecked;  ///< reason why no receiver was compared, or empty

    /// Reason why verification failed, in one sentence; empty if the run is verified or nothing was compared.
    [[nodiscard]] std::string failure() const;
};

/// \param traces  traces of all receivers, one after the other, with one value per step
[[nodiscard]] Arrivals check_arrivals(const Settings& settings, const Survey& survey, const Medium& medium,
                                      const std::vector<double>& traces);

}  // namespace waywiser::propa
