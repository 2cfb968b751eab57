/// What ranks send each other in a step of the vorticity equation, without running them.
#pragma once

#include "workloads/spectral/layout.hpp"

namespace waywiser::spectral {

/// Fields a level that go to the grid and that come back, in each of four stages.
inline constexpr Index stages_a_step = 4;
inline constexpr Index fields_there = 3;
inline constexpr Index fields_back = 2;

/// Bytes of each transposition in a transform of some kinds of fields, of all ranks, with what each sends itself.
struct Transposed {
    Index rows, columns, coefficients;
};
[[nodiscard]] Transposed transposed_bytes(const Layout& layout, Index kinds);

/// \throws InvalidInput  if one of the files cannot be written
void write_pattern(const std::string& file, const Layout& layout);

}  // namespace waywiser::spectral
