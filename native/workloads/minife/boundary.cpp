#include "workloads/minife/boundary.hpp"

#include "workloads/minife/shares.hpp"

namespace waywiser::minife {
namespace {

bool near_end(Index i, Index last) { return i <= 1 || i >= last - 1; }

void treat_row(const Layout& layout, const Index3& n, Csr& matrix) {
    const Mesh& mesh = layout.mesh;
    const Index row = layout.row(n);
    const bool prescribed = mesh.prescribed(n);
    Index entry = matrix.row_offsets[row];
    for_each(mesh.around(n), [&](const Index3& column) {
        double& value = matrix.values[entry++];
        if (prescribed) {
            value = column == n ? 1.0 : 0.0;
        } else if (mesh.prescribed(column)) {
            matrix.right_side[row] -= value * mesh.value_seen_by_neighbours(column);
            value = 0.0;
        }
    });
    if (prescribed) matrix.right_side[row] = mesh.prescribed_value(n);
}

Index treat_rows(const Layout& layout, const Box& part, Csr& matrix) {
    const Index3& last = layout.mesh.elements;
    Index visited = 0;
    const auto treat = [&](const Index3& n) {
        treat_row(layout, n, matrix);
        visited += layout.width(0, n[0]) * layout.width(1, n[1]) * layout.width(2, n[2]);
    };
    for (Index z = part.lo[2]; z < part.hi[2]; ++z) {
        for (Index y = part.lo[1]; y < part.hi[1]; ++y) {
            const bool whole_line = near_end(y, last[1]) || near_end(z, last[2]);
            for (Index x = part.lo[0]; x < part.hi[0]; ++x) {
                if (!whole_line && !near_end(x, last[0])) x = std::min(last[0] - 1, part.hi[0]);
                if (x < part.hi[0]) treat({x, y, z});
            }
        }
    }
    return visited;
}

}  // namespace

Index apply_boundary_conditions(const Layout& layout, Csr& matrix) {
    return sum_over_slabs(layout.owned, [&](const Box& slab) { return treat_rows(layout, slab, matrix); });
}

}  // namespace waywiser::minife
