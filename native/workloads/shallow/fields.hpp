/// Thickness of cells and velocity across edges, with the levels of each stored consecutively.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/shallow/topology.hpp"

#include <algorithm>

namespace waywiser::shallow {

/// Rows of levels, each aligned to a cache line; lanes beyond the last level pad to whole registers.
class Rows {
public:
    Rows() = default;
    Rows(Index rows, Index stride) : stride_(stride), values_(static_cast<std::size_t>(rows * stride)) {
        std::fill_n(values_.data(), values_.size(), 0.0);
    }

    [[nodiscard]] static constexpr Index stride_for(Index levels) { return (levels + 7) / 8 * 8; }

    [[nodiscard]] Index stride() const { return stride_; }
    [[nodiscard]] double* row(Index number) { return values_.data() + number * stride_; }
    [[nodiscard]] const double* row(Index number) const { return values_.data() + number * stride_; }

private:
    Index stride_ = 0;
    Array<double> values_;
};

/// Fields on the cells and edges of a rank: first its own, then the halo's.
struct State {
    State() = default;
    State(Index cells, Index edges, Index levels)
        : thickness(cells, Rows::stride_for(levels)), velocity(edges, Rows::stride_for(levels)) {}

    Rows thickness;  ///< [m]
    Rows velocity;   ///< along the normals of edges [m/s]
};

}  // namespace waywiser::shallow
