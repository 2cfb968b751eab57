/// Sizes that depend on which box of a rank is sent. In a multipartition, a cube is cut into p x p x p boxes, and each
/// of p x p ranks has one in each slab. A sweep comes to one of them after the other, and boxes at the faces of the
/// cube have fewer points inside.
///
/// Source: J. Bruno, P. R. Cappello, "Implementing the Beam and Warming method on the hypercube", Third Conference on
/// Hypercube Concurrent Computers and Applications, 1988, pp. 1073-1087.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "extrapolate/rules.hpp"

namespace waywiser::extrapolate {

/// The place of a box along an axis of the cube, from that of its rank in a square grid and from the round of the
/// sweep.
struct BoxPlace {
    std::int64_t per_x = 0, per_y = 0, per_round = 0, fixed = 0;

    [[nodiscard]] bool is_at_face(const Where& where) const;
};

/// The places of a box along the two axes across a sweep.
struct Box {
    std::array<BoxPlace, 2> across;

    /// Number of these axes along which the box is at a face of the cube.
    [[nodiscard]] std::size_t faces(const Where& where) const {
        return std::size_t{across[0].is_at_face(where)} + std::size_t{across[1].is_at_face(where)};
    }
};

/// Number of values of Box::faces.
inline constexpr std::size_t kNumbersOfFaces = 3;

/// All rules by which, in each run, boxes with as many faces have the same size. Empty unless the grid is a square.
[[nodiscard]] std::vector<Box> boxes_for(std::span<const Seen> seen);

}  // namespace waywiser::extrapolate
