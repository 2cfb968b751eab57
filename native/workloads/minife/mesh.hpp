/// The unit cube cut into equal bricks: indices, boxes of indices, coordinates and prescribed values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace waywiser::minife {

/// Indices are signed and have 64 bits, because numbers of rows and matrix entries of large meshes exceed 2^31.
using Index = std::int64_t;
using Index3 = std::array<Index, 3>;  ///< x, y, z

/// Half-open intervals: lo <= i < hi on every axis.
struct Box {
    Index3 lo{};
    Index3 hi{};

    [[nodiscard]] Index extent(std::size_t axis) const { return std::max<Index>(0, hi[axis] - lo[axis]); }
    [[nodiscard]] Index volume() const { return extent(0) * extent(1) * extent(2); }
    [[nodiscard]] bool contains(const Index3& i) const {
        return i[0] >= lo[0] && i[0] < hi[0] && i[1] >= lo[1] && i[1] < hi[1] && i[2] >= lo[2] && i[2] < hi[2];
    }
    /// Position of `i` in the box, x fastest.
    [[nodiscard]] Index position(const Index3& i) const {
        return i[0] - lo[0] + extent(0) * (i[1] - lo[1] + extent(1) * (i[2] - lo[2]));
    }
};

[[nodiscard]] inline Box intersection(const Box& a, const Box& b) {
    Box result;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        result.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
        result.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
    }
    return result;
}

/// Calls `visit(node)` for every index of the box, x fastest.
template <typename Visit>
void for_each(const Box& box, Visit visit) {
    for (Index z = box.lo[2]; z < box.hi[2]; ++z) {
        for (Index y = box.lo[1]; y < box.hi[1]; ++y) {
            for (Index x = box.lo[0]; x < box.hi[0]; ++x) visit(Index3{x, y, z});
        }
    }
}

struct Mesh {
    Index3 elements{};

    [[nodiscard]] Index nodes(std::size_t axis) const { return elements[axis] + 1; }
    [[nodiscard]] Index rows() const { return nodes(0) * nodes(1) * nodes(2); }
    [[nodiscard]] Index entries() const {
        return (3 * elements[0] + 1) * (3 * elements[1] + 1) * (3 * elements[2] + 1);
    }
    [[nodiscard]] double spacing(std::size_t axis) const { return 1.0 / static_cast<double>(elements[axis]); }
    [[nodiscard]] double coordinate(std::size_t axis, Index i) const { return static_cast<double>(i) * spacing(axis); }
    [[nodiscard]] Index node_id(const Index3& n) const { return n[0] + nodes(0) * (n[1] + nodes(1) * n[2]); }
    [[nodiscard]] Index3 centre() const { return {elements[0] / 2, elements[1] / 2, elements[2] / 2}; }

    /// True on the surface of the cube, all of which has prescribed values.
    [[nodiscard]] bool prescribed(const Index3& n) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (n[axis] == 0 || n[axis] == elements[axis]) return true;
        }
        return false;
    }
    /// u = 1 on the face x = 1, its edges included; u = 0 on the rest of the surface.
    [[nodiscard]] double prescribed_value(const Index3& n) const { return n[0] == elements[0] ? 1.0 : 0.0; }

    /// The value of a prescribed node for a free neighbour. In miniFE, the columns of the five 0-faces are cleared
    /// first and those of the 1-face second. The four edges of the 1-face therefore count as 0 here, although their
    /// rows say 1.
    [[nodiscard]] double value_seen_by_neighbours(const Index3& n) const {
        const bool on_zero_face = n[0] == 0 || n[1] == 0 || n[1] == elements[1] || n[2] == 0 || n[2] == elements[2];
        return on_zero_face ? 0.0 : prescribed_value(n);
    }

    /// Nodes of a box of elements: a box owns the low side of its elements, and the last one on an axis also the
    /// end of the cube.
    [[nodiscard]] Box owned_nodes(const Box& box) const {
        Box result = box;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (box.hi[axis] == elements[axis]) ++result.hi[axis];
        }
        return result;
    }
    /// The box and every node that is coupled to one of its nodes.
    [[nodiscard]] Box with_neighbours(const Box& owned) const {
        Box result;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            result.lo[axis] = std::max<Index>(0, owned.lo[axis] - 1);
            result.hi[axis] = std::min(nodes(axis), owned.hi[axis] + 1);
        }
        return result;
    }
    /// A node and the nodes that are coupled to it.
    [[nodiscard]] Box around(const Index3& n) const {
        return with_neighbours({.lo = n, .hi = {n[0] + 1, n[1] + 1, n[2] + 1}});
    }
};

}  // namespace waywiser::minife
