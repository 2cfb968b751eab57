/// Jacobians of the fluxes, and the 5 x 5 blocks that BT and LU compute from them.
#pragma once

#include "workloads/npb/physics.hpp"

namespace waywiser::npb {

using Block = std::array<Vector5, 5>;  ///< rows of a block

/// Jacobians at one point, along one axis.
struct Jacobians {
    Jacobians(const Vector5& u, std::size_t axis);

    Block convective;
    Block viscous;
};

/// Contribution of the next point (sign 1) or of the previous point (sign -1) to the row of a point.
[[nodiscard]] Block coupling(const Jacobians& neighbour, std::size_t axis, double sign, double dt,
                             const Differences& differences);

/// Contribution of a point to its own row along an axis, without the identity.
void add_diagonal(const Jacobians& here, std::size_t axis, double dt, const Differences& differences, Block& block);

[[nodiscard]] Block identity();

/// Computes r -= block x.
void subtract_product(const Block& block, const Vector5& x, Vector5& r);
/// Computes a -= block b.
void subtract_product(const Block& block, const Block& b, Block& a);

/// Replaces r by the solution of a x = r, and each column of `right`, if given, by the solution for that column; a is
/// overwritten. There is no pivoting, since blocks have large diagonals.
void solve(Block& a, Vector5& r, Block* right = nullptr);

}  // namespace waywiser::npb
