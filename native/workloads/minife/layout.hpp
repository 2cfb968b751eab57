/// Positions of a rank's nodes, rows and entries by arithmetic: boxes need no search tree from node to row.
#pragma once

#include "workloads/minife/mesh.hpp"

#include <vector>

namespace waywiser::minife {

/// Rows are the owned nodes, x fastest. The entries of a row are its up to 27 neighbours, x fastest, whichever rank
/// owns them. So an entry's place follows from its offset (dx, dy, dz) alone.
struct Layout {
    Mesh mesh;
    Box owned;
    /// The owned nodes and all that their rows refer to. Vectors are fields over this box, x fastest; positions in it
    /// are the local column numbers.
    Box reach = mesh.with_neighbours(owned);

    [[nodiscard]] Index rows() const { return owned.volume(); }
    [[nodiscard]] Index row(const Index3& node) const { return owned.position(node); }
    [[nodiscard]] Index position(const Index3& node) const { return reach.position(node); }

    /// Offset of the lowest neighbour on an axis: -1, or 0 at the low end of the cube.
    [[nodiscard]] static Index first(Index i) { return i > 0 ? -1 : 0; }
    /// Number of neighbours on an axis, the node itself included: 3, or 2 at an end of the cube.
    [[nodiscard]] Index width(std::size_t axis, Index i) const { return 3 - (i == 0) - (i == mesh.elements[axis]); }
    /// Sum of the widths of the owned indices below `i`.
    [[nodiscard]] Index widths_below(std::size_t axis, Index i) const {
        const Index low_end = owned.lo[axis] == 0 && i > 0;
        const Index high_end = i > mesh.elements[axis];
        return 3 * (i - owned.lo[axis]) - low_end - high_end;
    }
    [[nodiscard]] Index width_sum(std::size_t axis) const { return widths_below(axis, owned.hi[axis]); }
    [[nodiscard]] Index entries() const { return width_sum(0) * width_sum(1) * width_sum(2); }

    /// First entry of the row of the line's first node: a line consists of the owned nodes with one y and z.
    [[nodiscard]] Index line_start(Index y, Index z) const {
        return width_sum(0) * (widths_below(2, z) * width_sum(1) + width(2, z) * widths_below(1, y));
    }
};

/// Owned nodes in a row along x.
struct Segment {
    Index3 node;     ///< the first node
    Index row;       ///< row of the first node
    Index position;  ///< position of the first node in a field
    Index length;
};

/// Segments whose rows refer to no halo node, and the others.
struct Split {
    std::vector<Segment> interior;
    std::vector<Segment> boundary;
};

/// Every line of nodes of `part`, a box of owned nodes, as one segment; y, then z.
[[nodiscard]] std::vector<Segment> lines(const Layout& layout, const Box& part);

/// The nodes of lines(), for an exchange that overlaps with the interior's work.
[[nodiscard]] Split split(const Layout& layout, const Box& part);

}  // namespace waywiser::minife
