/// The assembled matrix of one rank in compressed sparse rows, and the generation of its structure.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/minife/layout.hpp"

namespace waywiser::minife {

struct Csr {
    Array<Index> row_offsets;     ///< shape (rows + 1,)
    Array<std::int32_t> columns;  ///< shape (entries,): positions in a field
    Array<double> values;         ///< shape (entries,)
    Array<double> right_side;     ///< shape (rows,)

    [[nodiscard]] Index rows() const { return static_cast<Index>(right_side.size()); }
    [[nodiscard]] Index entries() const { return static_cast<Index>(columns.size()); }
};

/// Allocates all four arrays with their pages present. The time is measured separately from the set-up, because on a
/// virtual machine the host clears pages, at rates between 0.5 and 10 GB/s.
[[nodiscard]] Csr allocate_matrix(const Layout& layout);

[[nodiscard]] constexpr Index matrix_bytes(Index rows, Index entries) { return 12 * entries + 16 * rows; }

/// Writes offsets and columns.
void generate_structure(const Layout& layout, Csr& matrix);

/// Bytes that `generate_structure` writes.
[[nodiscard]] constexpr Index structure_bytes(Index rows, Index entries) { return 8 * (rows + 1) + 4 * entries; }

}  // namespace waywiser::minife
