/// The third transposition. On one side is a share of the coefficients with all levels, for solvers that couple levels.
/// On the other is a share of the levels with all coefficients, for transforms.
#pragma once

#include "workloads/spectral/transform.hpp"

namespace waywiser::spectral {

class Columns {
public:
    Columns(const Machinery& machinery, const Spectrum& spectrum);

    /// Harmonics of this rank. Values lie coefficient by coefficient, each with one complex number a level.
    [[nodiscard]] const std::vector<Harmonic>& harmonics() const { return own_; }
    [[nodiscard]] Index size() const { return 2 * static_cast<Index>(own_.size()) * m_.layout->levels(); }

    /// Collective.
    void to_spectrum(const double* columns, double* spectrum);
    void from_spectrum(const double* spectrum, double* columns);

private:
    /// Range of a rank's part of the row's coefficients.
    [[nodiscard]] Range part(Index v) const {
        return share(static_cast<Index>(places_.size()), v, m_.layout->ranks().v);
    }

    Machinery m_;
    std::vector<Harmonic> own_;
    std::vector<Index> places_;  ///< places of the row's coefficients in the spectrum
    Exchange exchange_;          ///< first: shares of coefficients; second: sets of levels
    Stopwatch watch_;
};

}  // namespace waywiser::spectral
