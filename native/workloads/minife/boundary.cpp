#include "workloads/minife/boundary.hpp"

namespace waywiser::minife {
namespace {

bool near_end(Index i, Index last) { return i <= 1 || i >= last - 1; }

void treat_row(const Layout& layout, const Index3& n, Csr& matrix) {
    const Mesh& mesh = layout.mesh;
    const Index row = layout.row(n);
    const bool prescribed = mesh.prescribed(n);
    Index entry = matrix.row_offsets[row];
    const Box self{.lo = n, .hi = {n[0] + 1, n[1] + 1, n[2] + 1}};
    for_each(mesh.with_neighbours(self), [&](const Index3& column) {
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

}  // namespace

Index apply_boundary_conditions(const Layout& layout, Csr& matrix) {
    const Box& owned = layout.owned;
    const Index3& last = layout.mesh.elements;
    Index visited = 0;
    const auto treat = [&](const Index3& n) {
        treat_row(layout, n, matrix);
        visited += layout.width(0, n[0]) * layout.width(1, n[1]) * layout.width(2, n[2]);
    };
    for (Index z = owned.lo[2]; z < owned.hi[2]; ++z) {
        for (Index y = owned.lo[1]; y < owned.hi[1]; ++y) {
            const bool whole_line = near_end(y, last[1]) || near_end(z, last[2]);
            for (Index x = owned.lo[0]; x < owned.hi[0]; ++x) {
                if (!whole_line && !near_end(x, last[0])) x = std::min(last[0] - 1, owned.hi[0]);
                if (x < owned.hi[0]) treat({x, y, z});
            }
        }
    }
    return visited;
}

}  // namespace waywiser::minife
