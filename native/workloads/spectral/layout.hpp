/// Distribution of the data: W x V ranks, and their messages in the three transpositions.
#pragma once

#include "workloads/spectral/grid.hpp"

#include <string>

namespace waywiser::spectral {

struct Harmonic {
    Index wave;
    Index degree;
};

/// Ranks of the wave numbers and latitudes (w) times ranks of the fields and longitudes (v).
struct RankGrid {
    Index w = 1;
    Index v = 1;
};

/// Half-open.
struct Range {
    Index begin = 0;
    Index end = 0;
    [[nodiscard]] Index size() const { return end - begin; }
};

/// One part of a whole that is cut into parts as equal as possible.
[[nodiscard]] Range share(Index whole, Index part, Index parts);

/// The members of 0, 1, ... `whole` - 1 that go to a part, dealt forwards and backwards in turn, so that triangles and
/// reduced grids are shared out evenly. They ascend.
[[nodiscard]] std::vector<Index> dealt(Index whole, Index part, Index parts);

class Layout {
public:
    Layout(const Grid& grid, Index levels, RankGrid ranks);

    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] Index levels() const { return levels_; }
    [[nodiscard]] const RankGrid& ranks() const { return ranks_; }

    [[nodiscard]] const std::vector<Index>& waves(Index w) const { return waves_[static_cast<std::size_t>(w)]; }
    [[nodiscard]] const std::vector<Index>& latitudes(Index w) const { return latitudes_[static_cast<std::size_t>(w)]; }
    [[nodiscard]] Range levels(Index v) const { return share(levels_, v, ranks_.v); }
    [[nodiscard]] Range longitudes(Index latitude, Index v) const {
        return share(grid_.longitudes(latitude), v, ranks_.v);
    }
    /// Number of coefficients of set w of wave numbers, in all degrees up to the truncation.
    [[nodiscard]] Index coefficients(Index w) const;
    /// The number of wave numbers of set w that a latitude carries: its first ones.
    [[nodiscard]] Index carried(Index w, Index latitude) const;

    /// Bytes that a field takes from (w, v) to (w, v2) on its way from sets of fields to sets of longitudes, if it is a
    /// field of v.
    [[nodiscard]] Index row_bytes(Index w, Index v2) const;
    /// Bytes that a field of v takes from (w, v) to (w2, v) on its way from wave numbers to latitudes.
    [[nodiscard]] Index column_bytes(Index w, Index w2) const;
    /// Bytes that a field takes between the share of coefficients of (w, v) and the field's own set.
    [[nodiscard]] Index coefficient_bytes(Index w, Index v) const;

private:
    Grid grid_;
    Index levels_;
    RankGrid ranks_;
    std::vector<std::vector<Index>> waves_;
    std::vector<std::vector<Index>> latitudes_;
};

/// The grid of ranks closest to a square, with more sets of wave numbers than of fields if it is not square.
/// \param wanted  requested grid, in which 0 leaves the choice
/// \throws InvalidInput  with the possible grids
[[nodiscard]] RankGrid rank_grid(const Grid& grid, Index levels, Index ranks, const RankGrid& wanted);

}  // namespace waywiser::spectral
