#include "workloads/minife/matrix_free.hpp"

#include "workloads/minife/hex8.hpp"

namespace waywiser::minife {
namespace {

/// Integrates one brick of the mesh; all lanes are equal.
HexIntegrals integrate_brick(const Mesh& mesh) {
    HexBatch batch;
    for (std::size_t corner = 0; corner < corners; ++corner) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double end = (corner >> axis & 1) != 0 ? mesh.spacing(axis) : 0.0;
            batch.coordinate[corner][axis] = Lanes{} + end;
        }
    }
    HexIntegrals integrals;
    integrate(batch, integrals);
    return integrals;
}

}  // namespace

// By symmetry the neighbour without negative offsets represents all neighbours at its distance. The elements with both
// nodes are those in which the node is a corner with 0 bits on the axes along which the neighbour lies further.
ElementSums element_sums(const Mesh& mesh) {
    const HexIntegrals integrals = integrate_brick(mesh);
    ElementSums sums{};
    for (std::size_t offset = 0; offset < corners; ++offset) {
        double coupling = 0;
        for (std::size_t corner = 0; corner < corners; ++corner) {
            if ((corner & offset) == 0) coupling += integrals.stiffness[upper_entry(corner, corner | offset)][0];
        }
        ((offset & 1) == 0 ? sums.stencil.middle : sums.stencil.side)[offset >> 1] = coupling;
    }
    for (std::size_t corner = 0; corner < corners; ++corner) sums.load += integrals.load[corner][0];
    return sums;
}

void fill_right_side(const Layout& layout, const ElementSums& sums, Array<double>& right_side) {
    const Mesh& mesh = layout.mesh;
    const auto set = [&](const Index3& node) {
        double value = mesh.prescribed(node) ? mesh.prescribed_value(node) : sums.load;
        // Nonzero prescribed neighbours exist only next to the face x = 1.
        if (node[0] == mesh.elements[0] - 1 && !mesh.prescribed(node)) {
            for (Index dz = -1; dz <= 1; ++dz) {
                for (Index dy = -1; dy <= 1; ++dy) {
                    const Index3 neighbour{mesh.elements[0], node[1] + dy, node[2] + dz};
                    const auto line = static_cast<std::size_t>((dy != 0) + 2 * (dz != 0));
                    value -= sums.stencil.side[line] * mesh.value_seen_by_neighbours(neighbour);
                }
            }
        }
        right_side[layout.row(node)] = value;
    };
    for_each_slab(layout.owned, [&](const Box& slab) { for_each(slab, set); });
}

template <typename Real>
NineLines<Real> MatrixFree<Real>::lines_around(const Segment& segment, const Real* x) const {
    const Mesh& mesh = layout_.mesh;
    NineLines<Real> around{};
    for (Index dz = -1; dz <= 1; ++dz) {
        for (Index dy = -1; dy <= 1; ++dy) {
            const Index y = segment.node[1] + dy;
            const Index z = segment.node[2] + dz;
            // Prescribed nodes are not unknowns of their neighbours.
            const bool prescribed = y == 0 || y == mesh.elements[1] || z == 0 || z == mesh.elements[2];
            around[static_cast<std::size_t>(dy + 1 + 3 * (dz + 1))] =
                prescribed ? zeros_.data() + 1 : x + layout_.position({segment.node[0], y, z});
        }
    }
    return around;
}

template <typename Real>
void MatrixFree<Real>::multiply(const Segment& segment, const Real* x, Real* y) {
    const Mesh& mesh = layout_.mesh;
    const Index3& node = segment.node;
    if (node[1] == 0 || node[1] == mesh.elements[1] || node[2] == 0 || node[2] == mesh.elements[2]) {
        std::copy_n(x + segment.position, segment.length, y);
        return;
    }
    const Index end = node[0] + segment.length;
    const Index begin = std::max<Index>(node[0], 1);
    const Index free = std::min(end, mesh.elements[0]) - begin;
    if (node[0] == 0) y[0] = x[segment.position];
    if (end > mesh.elements[0]) y[segment.length - 1] = x[segment.position + segment.length - 1];
    if (free <= 0) return;
    const Index skipped = begin - node[0];
    const Segment inner{.node = {begin, node[1], node[2]},
                        .row = segment.row + skipped,
                        .position = segment.position + skipped,
                        .length = free};
    apply_stencil(free, stencil_, lines_around(inner, x), begin > 1, begin + free < mesh.elements[0], scratch_.mine(),
                  y + skipped);
}

template class MatrixFree<double>;
template class MatrixFree<float>;

}  // namespace waywiser::minife
