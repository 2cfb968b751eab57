#include "workloads/minife/assembly.hpp"

#include "workloads/minife/hex8.hpp"
#include "workloads/minife/shares.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::minife {
namespace {

/// Two neighbours in x, anywhere in memory.
using Pair = double __attribute__((vector_size(2 * sizeof(double)), aligned(alignof(double)), may_alias));

/// One of the four lines of nodes around a line of elements.
struct NodeLine {
    bool owned;
    double* values;      ///< values of the line's first row
    double* right_side;  ///< right-hand side of the line's first row
    Index lines;         ///< lines of neighbours: 9, or fewer at the surface
    Index line_of[4];    ///< index of the line with the element's nodes of bits (y, z)
};

/// Elements that touch the nodes of a box: those that begin in it, and one layer on the low sides.
Box touching(const Mesh& mesh, const Box& nodes) {
    Box box = nodes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.lo[axis] = std::max<Index>(0, box.lo[axis] - 1);
        box.hi[axis] = std::min(box.hi[axis], mesh.elements[axis]);
    }
    return box;
}

/// Sums elements into the rows of some of the owned nodes; other rows belong to other threads.
class Assembler {
public:
    Assembler(const Layout& layout, const Box& part, Csr& matrix)
        : layout_(layout), part_(part), matrix_(matrix), elements_(touching(layout.mesh, part)) {}

    /// \return number of elements integrated
    Index run() {
        for (Index y = elements_.lo[1]; y < elements_.hi[1]; y += tile()) {
            const Index y_end = std::min(y + tile(), elements_.hi[1]);
            for (Index z = elements_.lo[2]; z < elements_.hi[2]; ++z) {
                for (Index line = y; line < y_end; ++line) assemble_line(line, z);
            }
        }
        return elements_.volume();
    }

private:
    /// Number of lines in y that are finished before z advances. Their values, on two planes, stay in half a MiB of
    /// cache while all the elements around them are added, so that every value goes to memory once.
    [[nodiscard]] Index tile() const {
        const Index line_bytes = Index{72} * layout_.width_sum(0);
        return std::max<Index>(4, (Index{512} << 10) / (2 * line_bytes));
    }

    void assemble_line(Index y, Index z) {
        NodeLine around[4];
        for (Index b = 0; b < 4; ++b) around[b] = node_line(y + (b & 1), z + (b >> 1), b);
        HexBatch batch;
        HexIntegrals integrals;
        place_line(batch, y, z);
        for (Index x = elements_.lo[0]; x < elements_.hi[0]; x += Index{lanes}) {
            place_batch(batch, x);
            integrate(batch, integrals);
            const Index count = std::min(Index{lanes}, elements_.hi[0] - x);
            add(around, integrals, x, count, std::make_index_sequence<corners>{});
        }
    }

    NodeLine node_line(Index y, Index z, Index b) {
        NodeLine line{};
        line.owned = y >= part_.lo[1] && y < part_.hi[1] && z >= part_.lo[2] && z < part_.hi[2];
        if (!line.owned) return line;
        const Index width_y = layout_.width(1, y);
        line.lines = width_y * layout_.width(2, z);
        line.values = matrix_.values.data() + layout_.line_start(y, z);
        line.right_side = matrix_.right_side.data() + layout_.row({layout_.owned.lo[0], y, z});
        for (Index column_line = 0; column_line < 4; ++column_line) {
            const Index dy = (column_line & 1) - (b & 1) - Layout::first(y);
            const Index dz = (column_line >> 1) - (b >> 1) - Layout::first(z);
            line.line_of[column_line] = dy + width_y * dz;
        }
        // The first element line at a node clears it: there is a line below unless this is the first.
        const bool first_in_y = (b & 1) != 0 || y == elements_.lo[1];
        const bool first_in_z = (b >> 1) != 0 || z == elements_.lo[2];
        if (first_in_y && first_in_z) {
            std::fill_n(line.values, line.lines * layout_.width_sum(0), 0.0);
            std::fill_n(line.right_side, layout_.owned.extent(0), 0.0);
        }
        return line;
    }

    /// Sets y and z of the corners for a whole line.
    void place_line(HexBatch& batch, Index y, Index z) const {
        for (std::size_t m = 0; m < corners; ++m) {
            batch.coordinate[m][1] = Lanes{} + layout_.mesh.coordinate(1, y + static_cast<Index>(m >> 1 & 1));
            batch.coordinate[m][2] = Lanes{} + layout_.mesh.coordinate(2, z + static_cast<Index>(m >> 2));
        }
    }

    /// Lanes beyond the last element lie outside the cube and are dropped; they also are valid bricks.
    void place_batch(HexBatch& batch, Index x) const {
        Lanes ends[2];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            ends[0][lane] = layout_.mesh.coordinate(0, x + static_cast<Index>(lane));
            ends[1][lane] = layout_.mesh.coordinate(0, x + static_cast<Index>(lane) + 1);
        }
        for (std::size_t m = 0; m < corners; ++m) batch.coordinate[m][0] = ends[m & 1];
    }

    template <std::size_t... corner>
    void add(const NodeLine (&around)[4], const HexIntegrals& integrals, Index x, Index count,
             std::index_sequence<corner...>) const {
        (add_corner<corner>(around[corner / 2], integrals, x, count), ...);
    }

    /// Adds row `corner` of the element matrices of `count` elements from `x` on. The function is a template, so that
    /// places in the upper triangle are constants.
    template <std::size_t corner>
    void add_corner(const NodeLine& line, const HexIntegrals& integrals, Index x, Index count) const {
        if (!line.owned) return;
        constexpr Index right = corner & 1;
        const Index first = layout_.owned.lo[0];
        const Index begin = std::max<Index>(0, first - right - x);
        const Index end = std::min(count, layout_.owned.hi[0] - right - x);
        for (Index i = begin; i < end; ++i) {
            const Index node_x = x + i + right;
            const Index width = layout_.width(0, node_x);
            double* row = line.values + line.lines * layout_.widths_below(0, node_x) - right - Layout::first(node_x);
            const auto lane = static_cast<std::size_t>(i);
            for (std::size_t column_line = 0; column_line < 4; ++column_line) {
                Pair& pair = *reinterpret_cast<Pair*>(row + line.line_of[column_line] * width);
                pair += Pair{integrals.stiffness[upper_entry(corner, 2 * column_line)][lane],
                             integrals.stiffness[upper_entry(corner, 2 * column_line + 1)][lane]};
            }
            line.right_side[node_x - first] += integrals.load[corner][lane];
        }
    }

    const Layout& layout_;
    const Box& part_;  ///< consists of whole lines
    Csr& matrix_;
    Box elements_;
};

}  // namespace

Index assemble(const Layout& layout, Csr& matrix) {
    return sum_over_slabs(layout.owned, [&](const Box& slab) { return Assembler(layout, slab, matrix).run(); });
}

Index assembly_flops(Index elements) {
    constexpr Index additions = Index{corners * corners + corners};
    return elements * (integrate_flops + additions);
}

}  // namespace waywiser::minife
