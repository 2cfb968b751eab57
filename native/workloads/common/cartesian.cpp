#include "workloads/common/cartesian.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"

#include <limits>
#include <string>

namespace waywiser {
namespace {

bool admissible(const Index3& points, const Index3& ranks, const Index3& requested) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (ranks[axis] > points[axis] || (requested[axis] != 0 && requested[axis] != ranks[axis])) return false;
    }
    return true;
}

/// Number of points of all faces between ranks, with the weights of `cut`.
Index exchanged(const Index3& n, const Index3& p) {
    return 8 * (p[0] - 1) * n[1] * n[2] + (p[1] - 1) * n[0] * n[2] + (p[2] - 1) * n[0] * n[1];
}

}  // namespace

Cartesian::Cartesian(const Index3& points, const Index3& ranks, int rank) : points_(points), ranks_(ranks) {
    require(rank >= 0 && rank < ranks[0] * ranks[1] * ranks[2],
            "rank " + std::to_string(rank) + " is none of " + product_text(ranks) + " ranks");
    place_ = {rank % ranks[0], rank / ranks[0] % ranks[1], rank / (ranks[0] * ranks[1])};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        require(ranks[axis] <= points[axis], product_text(points) + " points are too few for " + product_text(ranks) +
                                                 " ranks: a rank needs a point on each axis");
        owned_.lo[axis] = points[axis] * place_[axis] / ranks[axis];
        owned_.hi[axis] = points[axis] * (place_[axis] + 1) / ranks[axis];
    }
}

Index3 Cartesian::owned_points() const { return {owned_.extent(0), owned_.extent(1), owned_.extent(2)}; }

int Cartesian::neighbour(std::size_t axis, Side side) const {
    Index3 target = place_;
    target[axis] += side == Side::low ? -1 : 1;
    if (target[axis] < 0 || target[axis] >= ranks_[axis]) return -1;
    return static_cast<int>(target[0] + ranks_[0] * (target[1] + ranks_[1] * target[2]));
}

Index3 cut(const Index3& points, int ranks, const Index3& requested) {
    Index3 best{};
    Index least = std::numeric_limits<Index>::max();
    for (Index p1 = 1; p1 <= ranks; ++p1) {
        if (ranks % p1 != 0) continue;
        for (Index p2 = 1; p2 <= ranks / p1; ++p2) {
            if (ranks / p1 % p2 != 0) continue;
            const Index3 candidate{p1, p2, ranks / p1 / p2};
            if (!admissible(points, candidate, requested) || exchanged(points, candidate) >= least) continue;
            best = candidate;
            least = exchanged(points, candidate);
        }
    }
    require(best[0] != 0, std::to_string(ranks) + " ranks cannot be laid out as " + product_text(requested) +
                              " (0: free) on " + product_text(points) +
                              " points: the product must be the number of ranks, with a point for each");
    return best;
}

}  // namespace waywiser
