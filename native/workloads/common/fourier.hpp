/// Fourier transforms by FFTW 3. The program loads FFTW when it starts, because FFTW's licence, the GPL, forbids
/// linking.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <memory>

namespace waywiser {

/// True if the library is installed.
[[nodiscard]] bool has_fftw();

/// The message if the library is missing.
inline constexpr const char* missing_fftw =
    "FFTW 3 (libfftw3.so.3) is not installed; install it (Debian: libfftw3-double3) or name its directory in "
    "LD_LIBRARY_PATH";

/// A plan by FFTW's estimate, which is the same in every run. Transforms are in place. A transform followed by its
/// inverse multiplies by the number of points, or by twice that number for cosines. Several threads may use a plan at
/// the same time, on different arrays.
class Plan {
public:
    /// `rows` of `points` real values <-> points / 2 + 1 complex values; rows are spaced for the complex values.
    static Plan real_rows(Index points, Index rows, bool forward);
    /// `width` adjacent lines of complex values; consecutive values of a line are `stride` complex values apart.
    static Plan complex_lines(Index points, Index stride, Index width, bool forward);
    /// `rows` of `points` real values <-> as many coefficients of cosines that are even about both ends of the row.
    static Plan cosine_rows(Index points, Index rows, bool forward);
    /// `width` adjacent lines of real values <-> the real parts of their coefficients, followed by the imaginary parts
    /// in descending order of waves: waves k and points - k belong together.
    static Plan real_lines(Index points, Index stride, Index width, bool forward);

    /// \param values  16-byte aligned if they are or become complex
    void run(double* values) const;

private:
    enum class Kind { real_to_complex, complex_to_real, complex_to_complex, real_to_real };

    Plan(void* plan, Kind kind);

    std::shared_ptr<void> plan_;
    Kind kind_;
};

}  // namespace waywiser
