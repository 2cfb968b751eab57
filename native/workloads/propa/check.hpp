/// Checks of the field against the analytic and the discrete solution.
#pragma once

#include "workloads/propa/waves.hpp"

#include <mpi.h>

#include <string>

namespace waywiser::propa {

/// All checks of one run, the same on all ranks.
class Checks {
public:
    /// Checks `waves.current`, the field of `step`, counted from 0. Collective.
    /// \param counted  true if the check enters the sums of the error; every check enters the gap
    template <class Real>
    void check(const Waves<Real>& waves, const Cartesian& cartesian, bool mirrored, Index step, bool counted,
               MPI_Comm communicator);

    /// sum |computed - analytic| / sum |analytic|, over points and checks
    [[nodiscard]] double error() const { return difference_ / analytic_; }
    /// error() of leapfrog without rounding.
    [[nodiscard]] double predicted() const { return predicted_difference_ / analytic_; }
    /// max |computed - discrete|, where the field's greatest amplitude is 1
    [[nodiscard]] double gap() const { return gap_; }
    [[nodiscard]] double gap_allowed() const { return gap_allowed_; }
    [[nodiscard]] double error_allowed() const { return error_tolerance_ * predicted() + rounding(); }
    /// Reason why verification failed, in one sentence; empty if the run is verified.
    [[nodiscard]] std::string failure() const;

private:
    /// The error if every point has the allowed gap.
    [[nodiscard]] double rounding() const { return gap_allowed_ * space_ / analytic_; }

    double difference_ = 0;
    double analytic_ = 0;
    double predicted_difference_ = 0;
    double space_ = 0;  ///< sum |space factor| of the counted checks
    double gap_ = 0;
    double gap_allowed_ = 0;
    double error_tolerance_ = 0;
    bool checked_ = true;  ///< each check covered some points
    bool whole_ = true;    ///< each check covered all of its points
};

}  // namespace waywiser::propa
