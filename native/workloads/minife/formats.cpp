#include "workloads/minife/formats.hpp"

namespace waywiser::minife {
namespace {

constexpr Index full = 27;
constexpr Index upper_diagonals = 14;

/// Calls `visit(node, neighbour, value)` for every entry of the owned rows, on all threads.
template <typename Visit>
void for_each_entry(const Layout& layout, const Csr& matrix, Visit visit) {
    const auto visit_row = [&](const Index3& node) {
        Index entry = matrix.row_offsets[layout.row(node)];
        for_each(layout.mesh.around(node),
                 [&](const Index3& neighbour) { visit(node, neighbour, matrix.values[entry++]); });
    };
    for_each_slab(layout.owned, [&](const Box& slab) { for_each(slab, visit_row); });
}

Index offset(const Index3& from, const Index3& to) {
    return (to[0] - from[0] + 1) + 3 * (to[1] - from[1] + 1) + 9 * (to[2] - from[2] + 1);
}

/// True if the reach contains this line of a field or of blocks.
bool has_line(const Layout& layout, Index y, Index z) { return layout.reach.contains({layout.reach.lo[0], y, z}); }

/// Calls `visit(dy, dz)` for the nine lines around one, in the order of their entries.
template <typename Visit>
void for_each_line(Visit visit) {
    for (Index dz = -1; dz <= 1; ++dz) {
        for (Index dy = -1; dy <= 1; ++dy) visit(dy, dz);
    }
}

template <typename Real>
Array<Real> zeros(Index size) {
    Array<Real> values(static_cast<std::size_t>(size));
    fill_by_threads(values, Real{});
    return values;
}

}  // namespace

template <typename Real>
Blocks<Real>::Blocks(const Layout& layout, const Csr& matrix)
    : layout_(layout),
      blocks_a_line_((layout.owned.extent(0) + block_rows<Real> - 1) / block_rows<Real>),
      values_(zeros<Real>(layout.owned.extent(1) * layout.owned.extent(2) * blocks_a_line_ * full * block_rows<Real>)),
      line_(blocks_a_line_ * block_rows<Real>) {
    const Index length = layout.owned.extent(0);
    for_each_entry(layout, matrix, [&](const Index3& node, const Index3& neighbour, double value) {
        const Index row = layout.row(node);
        const Index block = row / length * blocks_a_line_ + row % length / block_rows<Real>;
        const Index place = (full * block + offset(node, neighbour)) * block_rows<Real>;
        values_[place + row % length % block_rows<Real>] = static_cast<Real>(value);
    });
}

template <typename Real>
void Blocks<Real>::multiply(const Segment& segment, const Real* x, Real* y) {
    const Index length = layout_.owned.extent(0);
    const Index within = segment.row % length;
    const Index skipped = within % block_rows<Real>;  // number of leading rows of the first block outside the segment
    const Index blocks = (skipped + segment.length + block_rows<Real> - 1) / block_rows<Real>;
    const Index first = segment.row / length * blocks_a_line_ + within / block_rows<Real>;
    NineLines<Real> around{};
    for (std::size_t k = 0; k < around.size(); ++k) {
        const Index3 node{segment.node[0], segment.node[1] + static_cast<Index>(k % 3) - 1,
                          segment.node[2] + static_cast<Index>(k / 3) - 1};
        // The blocks have zeros for lines that do not exist.
        const Index position = has_line(layout_, node[1], node[2]) ? layout_.position(node) : segment.position;
        around[k] = x + position - skipped;
    }
    Real* line = line_.mine();
    multiply_blocks(blocks, values_.data() + first * full * block_rows<Real>, around, line);
    std::copy_n(line + skipped, segment.length, y);
}

template <typename Real>
Index SymmetricDiagonals<Real>::place(Index k, const Index3& node) const {
    const Box& reach = layout_.reach;
    const Index line = (node[1] - reach.lo[1]) + reach.extent(1) * (node[2] - reach.lo[2]);
    return (upper_diagonals * line + k) * (reach.extent(0) + 1) + 1 + node[0] - reach.lo[0];
}

template <typename Real>
SymmetricDiagonals<Real>::SymmetricDiagonals(const Layout& layout, const Csr& matrix)
    : layout_(layout),
      values_(zeros<Real>(
          upper_diagonals * layout.reach.extent(1) * layout.reach.extent(2) * (layout.reach.extent(0) + 1) + 1)) {
    constexpr Index own = 13;  // Smaller offsets belong to preceding neighbours.
    for_each_entry(layout, matrix, [&](const Index3& node, const Index3& neighbour, double value) {
        const Index k = offset(node, neighbour) - own;
        if (k < 0 && layout.owned.contains(neighbour)) return;  // The neighbour's own row contains the entry.
        values_[k >= 0 ? place(k, node) : place(-k, neighbour)] = static_cast<Real>(value);
    });
}

template <typename Real>
void SymmetricDiagonals<Real>::multiply(const Segment& segment, const Real* x, Real* y) {
    std::fill_n(y, segment.length, Real{});
    const Index block = upper_diagonals * (layout_.reach.extent(0) + 1);
    const Real* next = values_.data() + place(0, segment.node) + block;
    for_each_line([&](Index dy, Index dz) {
        // The diagonals are too short for hardware prefetching.
        for (const Real* part = next; next < part + block / 9; next += block_rows<Real>) __builtin_prefetch(next);
        const Index3 node{segment.node[0], segment.node[1] + dy, segment.node[2] + dz};
        if (!has_line(layout_, node[1], node[2])) return;
        const Index middle = 3 * dy + 9 * dz;
        const auto values = [&](Index k, const Index3& from) { return values_.data() + place(k, from); };
        // The entry of a node with one before it is stored with the latter: where dx is -1, a node further on.
        const Real* low = middle > 0 ? values(middle - 1, segment.node) : values(1 - middle, node) - 1;
        const Real* same = middle >= 0 ? values(middle, segment.node) : values(-middle, node);
        const Real* high = middle >= 0 ? values(middle + 1, segment.node) : values(-middle - 1, node) + 1;
        add_three_diagonals(segment.length, low, same, high, x + layout_.position(node), y);
    });
}

template class Blocks<double>;
template class Blocks<float>;
template class SymmetricDiagonals<double>;
template class SymmetricDiagonals<float>;

}  // namespace waywiser::minife
