/// The third transposition, between shares of coefficients with all levels and shares of levels with all coefficients.
/// Solvers that couple levels need the former, transforms the latter.
#pragma once

#include "workloads/spectral/transform.hpp"

namespace waywiser::spectral {

class Columns {
public:
    Columns(const Machinery& machinery, const Spectrum& spectrum);

    /// Harmonics of this rank. Values are stored by harmonic, each with one complex number per level.
    [[nodiscard]] const std::vector<Harmonic>& harmonics() const { return own_; }
    [[nodiscard]] Index size() const { return 2 * static_cast<Index>(own_.size()) * m_.layout->levels(); }

    /// Collective.
    void to_spectrum(const double* columns, double* spectrum);
    void from_spectrum(const double* spectrum, double* columns);

private:
    /// Range of the row's coefficients that rank v holds.
    [[nodiscard]] Range part(Index v) const {
        return share(static_cast<Index>(places_.size()), v, m_.layout->ranks().v);
    }

    Machinery m_;
    std::vector<Harmonic> own_;
    std::vector<Index> places_;  ///< offsets of the row's coefficients in the spectrum
    Exchange exchange_;          ///< first: shares of coefficients; second: sets of levels
    Stopwatch watch_;
};

}  // namespace waywiser::spectral
