/// The field against the exact one, analytic and discrete.
#pragma once

#include "workloads/propa/waves.hpp"

#include <mpi.h>

#include <string>

namespace waywiser::propa {

/// The verdict of all checks of one run, the same on all ranks.
class Verdict {
public:
    /// Collective. The field of `step` (from 0), which is `waves.current`.
    /// \param counted  it is in the sums of the error; all checks are in the gap
    template <class Real>
    void check(const Waves<Real>& waves, const Cartesian& cartesian, bool mirrored, Index step, bool counted,
               MPI_Comm communicator);

    /// sum |computed - analytic| / sum |analytic|, over points and checks
    [[nodiscard]] double error() const { return difference_ / analytic_; }
    /// error() of what leapfrog gives without rounding.
    [[nodiscard]] double predicted() const { return predicted_difference_ / analytic_; }
    /// max |computed - discrete|, where the field's greatest amplitude is 1
    [[nodiscard]] double gap() const { return gap_; }
    [[nodiscard]] double gap_allowed() const { return gap_allowed_; }
    [[nodiscard]] double error_allowed() const { return error_tolerance_ * predicted() + rounding(); }
    /// The reason why the run is not verified, in one sentence; empty if it is.
    [[nodiscard]] std::string failure() const;

private:
    /// The allowed gap everywhere, as an error relative to the field.
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
