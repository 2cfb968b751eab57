/// Poisson's equation for the pressure correction, whose gradient removes the divergence of a velocity. Fourier
/// transforms along axes 1 and 3, with the modified wavenumbers of the differences, leave a tridiagonal system along
/// axis 2. With open ends of axis 1, waves along that axis are cosines, and all values are real.
#pragma once

#include "workloads/common/fourier.hpp"
#include "workloads/tbl/flow.hpp"
#include "workloads/tbl/partitioned.hpp"

#include <optional>
#include <vector>

namespace waywiser::tbl {

class PressureSolver {
public:
    PressureSolver(const Domain& domain, const Teams& teams);

    /// Computes the flow's correction, whose Laplacian is the divergence of the velocity divided by `interval`. The
    /// velocity must be complete for the divergence. Collective.
    void solve(Flow& flow, double interval);

private:
    /// Sum of the eigenvalues along axes 1 and 3 of wave (first_wave + i, k).
    [[nodiscard]] double eigenvalues(Index first_wave, Index i, Index k) const;
    [[nodiscard]] Plan rows(bool forward) const;
    [[nodiscard]] Plan lines(bool forward) const;
    void factor(const Teams& teams);
    void share_lines(const Teams& teams);
    void divergence_spectra(const Flow& flow, double per_interval);
    void solve_lines(double* spectrum) const;
    void take_correction(Flow& flow);

    const Domain& domain_;
    Index values_;  ///< number of values of a wave: two if complex
    Pencils pencils_;
    Array<double> spectrum_;  ///< spectrum with axis 1 whole
    Plan rows_forward_, rows_backward_, lines_forward_, lines_backward_;
    std::vector<double> lower_, upper_;  ///< coefficients of the differences along axis 2
    Array<double> inverse_;              ///< inverses of the pivots, for each pair of wavenumbers
    std::optional<Partitioned> shared_;  ///< the same systems, if ranks share lines
};

/// Subtracts `interval` times the gradient of the correction from the velocities, and adds the correction to the
/// pressure, halos included.
void project(Flow& flow, double interval);

}  // namespace waywiser::tbl
