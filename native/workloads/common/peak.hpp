/// Multiply-adds at the peak rate of the cores: in the widest registers, with enough chains to hide their latency.
#pragma once

#include <string>

namespace waywiser {

/// Measures for some milliseconds on all threads of the caller. Real is float or double.
/// \returns  the operations done by all threads, two per multiply-add
template <typename Real>
[[nodiscard]] double multiply_add_flops();

/// The instructions that multiply_add_flops() uses: "AVX-512", "AVX2", or "baseline".
[[nodiscard]] std::string multiply_add_instructions();

}  // namespace waywiser
