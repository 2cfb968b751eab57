/// Distribution of the data: W x V ranks, and their messages in the three transpositions.
#pragma once

#include "workloads/spectral/grid.hpp"

#include <string>

namespace waywiser::spectral {

struct Harmonic {
    Index wave;
    Index degree;
    bool operator==(const Harmonic&) const = default;
};

/// Ranks that share wave numbers and latitudes (w) times ranks that share fields and longitudes (v).
struct RankGrid {
    Index w = 1;
    Index v = 1;
};

/// The half-open interval [begin, end).
struct Range {
    Index begin = 0;
    Index end = 0;
    [[nodiscard]] Index size() const { return end - begin; }
};

/// One part of a whole that is divided as evenly as possible.
[[nodiscard]] Range share(Index whole, Index part, Index parts);

/// Members of 0, 1, ... `whole` - 1 that belong to a part, in ascending order. They are dealt forwards and backwards
/// alternately, so that triangular truncations and reduced grids are balanced.
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
    /// Number of wave numbers of set w that a latitude carries; they are the first of the set.
    [[nodiscard]] Index carried(Index w, Index latitude) const;

    /// Bytes of a field of v that are sent from (w, v) to (w, v2) in the transposition from fields to longitudes.
    [[nodiscard]] Index row_bytes(Index w, Index v2) const;
    /// Bytes of a field of v that are sent from (w, v) to (w2, v) in the transposition from wave numbers to latitudes.
    [[nodiscard]] Index column_bytes(Index w, Index w2) const;
    /// Bytes of a field that are exchanged between the share of coefficients of (w, v) and the rank with the field's
    /// level.
    [[nodiscard]] Index coefficient_bytes(Index w, Index v) const;

private:
    Grid grid_;
    Index levels_;
    RankGrid ranks_;
    std::vector<std::vector<Index>> waves_;
    std::vector<std::vector<Index>> latitudes_;
};

/// The rank grid closest to a square. Among equals, the grid with more sets of wave numbers than of fields is chosen.
/// \param requested  requested grid, in which 0 leaves the choice
/// \throws InvalidInput  if no grid is possible as requested; the message lists the possible grids
[[nodiscard]] RankGrid rank_grid(const Grid& grid, Index levels, Index ranks, const RankGrid& requested);

}  // namespace waywiser::spectral
