/// Communication of a step, determined without running the ranks.
#pragma once

#include "workloads/spectral/layout.hpp"

namespace waywiser::spectral {

/// Transforms of a step or a round trip: number of stages and, per stage and level, of fields transformed to the grid
/// and back.
struct Traffic {
    Index stages, there, back;
    /// Number of transforms of one field per level.
    [[nodiscard]] constexpr Index transforms() const { return stages * (there + back); }
};
inline constexpr Traffic round_trip_traffic{1, 1, 1};
inline constexpr Traffic vorticity_traffic{4, 3, 2};
inline constexpr Traffic shallow_water_traffic{2, 4, 5};

/// Bytes of each transposition in a transform of some kinds of fields, over all ranks and including what ranks send to
/// themselves.
struct Transposed {
    Index rows, columns, coefficients;
};
[[nodiscard]] Transposed transposed_bytes(const Layout& layout, Index kinds);

/// \throws InvalidInput  if one of the files cannot be written
void write_pattern(const std::string& file, const Layout& layout, const Traffic& traffic);

}  // namespace waywiser::spectral
