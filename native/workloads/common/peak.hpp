/// Multiply-adds at the rate of the cores: with enough chains to hide their latency, in the widest registers.
#pragma once

#include <string>

namespace waywiser {

/// Measures for some milliseconds on all threads of the caller. Real is float or double.
/// \returns  the operations done by all threads, two per multiply-add
template <typename Real>
[[nodiscard]] double multiply_add_flops();

/// The instructions that multiply_add_flops() takes: "AVX-512", "AVX2", or "baseline".
[[nodiscard]] std::string multiply_add_instructions();

}  // namespace waywiser
