#include "workloads/minife/csr.hpp"

#include "workloads/common/clones.hpp"
#include "workloads/minife/shares.hpp"

#include <algorithm>
#include <array>

namespace waywiser::minife {
namespace {

constexpr int full = 27;

/// Writes a run of rows with all 27 neighbours, whose distances are the same everywhere.
WAYWISER_CLONES
void write_full_rows(std::int32_t first_position, Index rows, const std::int32_t* distances, Index first_entry,
                     Index* row_offsets, std::int32_t* columns) {
    for (Index i = 0; i < rows; ++i) {
        row_offsets[i] = first_entry + full * i;
        const std::int32_t position = first_position + static_cast<std::int32_t>(i);
        for (int k = 0; k < full; ++k) columns[full * i + k] = position + distances[k];
    }
}

/// Writes offsets and columns, line after line; the layout determines where a line's entries start.
class StructureWriter {
public:
    StructureWriter(const Layout& layout, Csr& matrix) : layout_(layout), matrix_(matrix) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            full_rows_.lo[axis] = std::max<Index>(layout.owned.lo[axis], 1);
            full_rows_.hi[axis] = std::min(layout.owned.hi[axis], layout.mesh.elements[axis]);
        }
        const Box around{.lo = {-1, -1, -1}, .hi = {2, 2, 2}};
        for_each(around, [&](const Index3& d) {
            const Index distance = d[0] + layout.reach.extent(0) * (d[1] + layout.reach.extent(1) * d[2]);
            distances_[static_cast<std::size_t>(around.position(d))] = static_cast<std::int32_t>(distance);
        });
    }

    void write_line(Index y, Index z) {
        const Index first = layout_.owned.lo[0];
        const Index end = layout_.owned.hi[0];
        Index entry = layout_.line_start(y, z);
        const bool has_full_rows = full_rows_.extent(0) > 0 && full_rows_.contains({full_rows_.lo[0], y, z});
        const Index low = has_full_rows ? full_rows_.lo[0] : end;
        for (Index x = first; x < low; ++x) write_row({x, y, z}, entry);
        if (!has_full_rows) return;
        const Index3 node{low, y, z};
        write_full_rows(static_cast<std::int32_t>(layout_.position(node)), full_rows_.extent(0), distances_.data(),
                        entry, matrix_.row_offsets.data() + layout_.row(node), matrix_.columns.data() + entry);
        entry += full * full_rows_.extent(0);
        for (Index x = full_rows_.hi[0]; x < end; ++x) write_row({x, y, z}, entry);
    }

private:
    void write_row(const Index3& node, Index& entry) {
        matrix_.row_offsets[layout_.row(node)] = entry;
        for_each(layout_.mesh.around(node), [&](const Index3& neighbour) {
            matrix_.columns[entry++] = static_cast<std::int32_t>(layout_.position(neighbour));
        });
    }

    const Layout& layout_;
    Csr& matrix_;
    Box full_rows_ = layout_.owned;  ///< all rows except those on the surface of the cube
    std::array<std::int32_t, full> distances_{};
};

}  // namespace

Csr allocate_matrix(const Layout& layout) {
    const Index rows = layout.rows();
    const auto entries = static_cast<std::size_t>(layout.entries());
    Csr matrix{.row_offsets = Array<Index>(static_cast<std::size_t>(rows) + 1),
               .columns = Array<std::int32_t>(entries),
               .values = Array<double>(entries),
               .right_side = Array<double>(static_cast<std::size_t>(rows))};
    touch_by_threads(matrix.row_offsets);
    touch_by_threads(matrix.columns);
    touch_by_threads(matrix.values);
    touch_by_threads(matrix.right_side);
    return matrix;
}

void generate_structure(const Layout& layout, Csr& matrix) {
    StructureWriter writer(layout, matrix);
    for_each_slab(layout.owned, [&](const Box& slab) {
        for (Index z = slab.lo[2]; z < slab.hi[2]; ++z) {
            for (Index y = slab.lo[1]; y < slab.hi[1]; ++y) writer.write_line(y, z);
        }
    });
    matrix.row_offsets[layout.rows()] = layout.entries();
}

}  // namespace waywiser::minife
