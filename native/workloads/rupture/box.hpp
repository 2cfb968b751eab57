/// A box of cubes, each cut into six tetrahedra along one diagonal (Kuhn's). The faces of tetrahedra match between
/// cubes and across periodic sides.
#pragma once

#include "workloads/rupture/mesh_file.hpp"

#include <array>
#include <vector>

namespace waywiser::rupture {

/// A rectangle in the plane of line `y` of axis y, between lines of x and z. Faces on the rectangle have tag 3.
struct BoxFault {
    int y = -1;  ///< -1: no fault
    std::array<int, 2> x{};
    std::array<int, 2> z{};
};

struct Box {
    std::array<std::vector<double>, 3> lines;       ///< ascending coordinates of the cubes' corners [m]
    std::array<bool, 3> periodic{};                 ///< a periodic axis needs at least three cubes
    std::array<std::array<FaceTag, 2>, 3> sides{};  ///< tags at the low and the high end of each axis
    BoxFault fault;

    [[nodiscard]] int cubes(std::size_t axis) const { return static_cast<int>(lines[axis].size()) - 1; }
};

/// Returns this rank's layers of cubes on x, with their neighbours.
/// \throws InvalidInput  if there are more ranks than layers
[[nodiscard]] MeshPart make_box_part(const Box& box, int rank, int ranks);

}  // namespace waywiser::rupture
