/// Multiply-adds at the rate of the cores: as many chains as hide their latency, in the widest registers there are.
#pragma once

#include <string>

namespace waywiser {

/// Runs some milliseconds on all threads of the caller. Real is float or double.
/// \returns  the operations done by all threads, two a multiply-add
template <typename Real>
[[nodiscard]] double multiply_add_flops();

/// The instructions that multiply_add_flops() takes: "AVX-512", "AVX2", or "baseline".
[[nodiscard]] std::string multiply_add_instructions();

}  // namespace waywiser
