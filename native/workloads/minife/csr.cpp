#include "workloads/minife/csr.hpp"

#include "workloads/common/clones.hpp"

#include <algorithm>
#include <array>

namespace waywiser::minife {
namespace {

constexpr int full = 27;

/// A run of rows that have all their 27 neighbours: the same 27 distances everywhere.
WAYWISER_CLONES
void write_full_rows(std::int32_t first_position, Index rows, const std::int32_t* distances, Index first_entry,
                     Index* row_offsets, std::int32_t* columns) {
    for (Index i = 0; i < rows; ++i) {
        row_offsets[i] = first_entry + full * i;
        const std::int32_t position = first_position + static_cast<std::int32_t>(i);
        for (int k = 0; k < full; ++k) columns[full * i + k] = position + distances[k];
    }
}

}  // namespace

Csr allocate_matrix(const Layout& layout) {
    const Index rows = layout.rows();
    const auto entries = static_cast<std::size_t>(layout.entries());
    Csr matrix{.row_offsets = Array<Index>(static_cast<std::size_t>(rows) + 1),
               .columns = Array<std::int32_t>(entries),
               .values = Array<double>(entries),
               .right_side = Array<double>(static_cast<std::size_t>(rows))};
    matrix.row_offsets.touch_pages();
    matrix.columns.touch_pages();
    matrix.values.touch_pages();
    matrix.right_side.touch_pages();
    return matrix;
}

void generate_structure(const Layout& layout, Csr& matrix) {
    const Box& owned = layout.owned;
    Box full_rows = owned;  // all but those on the surface of the cube
    for (std::size_t axis = 0; axis < 3; ++axis) {
        full_rows.lo[axis] = std::max<Index>(owned.lo[axis], 1);
        full_rows.hi[axis] = std::min(owned.hi[axis], layout.mesh.elements[axis]);
    }
    std::array<std::int32_t, full> distances{};
    const Box around{.lo = {-1, -1, -1}, .hi = {2, 2, 2}};
    for_each(around, [&](const Index3& d) {
        const Index distance = d[0] + layout.reach.extent(0) * (d[1] + layout.reach.extent(1) * d[2]);
        distances[static_cast<std::size_t>(around.position(d))] = static_cast<std::int32_t>(distance);
    });

    Index entry = 0;
    Index row = 0;
    const auto write_row = [&](const Index3& n) {
        matrix.row_offsets[row++] = entry;
        for_each(layout.mesh.with_neighbours({.lo = n, .hi = {n[0] + 1, n[1] + 1, n[2] + 1}}),
                 [&](const Index3& neighbour) {
                     matrix.columns[entry++] = static_cast<std::int32_t>(layout.position(neighbour));
                 });
    };
    for (Index z = owned.lo[2]; z < owned.hi[2]; ++z) {
        for (Index y = owned.lo[1]; y < owned.hi[1]; ++y) {
            Index x = owned.lo[0];
            if (full_rows.extent(0) > 0 && full_rows.contains({full_rows.lo[0], y, z})) {
                while (x < full_rows.lo[0]) write_row({x++, y, z});
                write_full_rows(static_cast<std::int32_t>(layout.position({x, y, z})), full_rows.extent(0),
                                distances.data(), entry, matrix.row_offsets.data() + row,
                                matrix.columns.data() + entry);
                row += full_rows.extent(0);
                entry += full * full_rows.extent(0);
                x += full_rows.extent(0);
            }
            for (; x < owned.hi[0]; ++x) write_row({x, y, z});
        }
    }
    matrix.row_offsets[row] = entry;
}

}  // namespace waywiser::minife
