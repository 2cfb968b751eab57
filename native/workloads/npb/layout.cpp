#include "workloads/npb/layout.hpp"

#include "base/error.hpp"
#include "workloads/npb/field.hpp"

#include <string>

namespace waywiser::npb {
namespace {

/// Least number of points on a side of a box, for a halo or as required by NPB.
Index least_side(bool as_npb) { return as_npb ? 3 : Field::halo; }

/// The larger of the two closest factors of `ranks`; 0 if some rank would have too few points on a side. If `as_npb` is
/// set, the result is also 0 if the larger factor is more than twice the smaller, as in NPB's LU.
Index greater_factor(Index points, Index ranks, bool as_npb) {
    Index greater = ranks;
    for (Index factor = 1; factor * factor <= ranks; ++factor) {
        if (ranks % factor == 0) greater = ranks / factor;
    }
    if (as_npb && greater > 2 * (ranks / greater)) return 0;
    return points / greater >= least_side(as_npb) || greater == 1 ? greater : 0;
}

std::string nearest_counts(Index points, Index ranks, bool as_npb) {
    Index below = ranks;
    while (greater_factor(points, below, as_npb) == 0) --below;
    Index above = ranks;
    const Index most = (points / least_side(as_npb)) * (points / least_side(as_npb));
    while (above <= most && greater_factor(points, above, as_npb) == 0) ++above;
    return std::to_string(below) + (above <= most ? " and " + std::to_string(above) : "");
}

Index root_of_square(Index ranks) {
    Index root = 0;
    while (root * root < ranks) ++root;
    return root * root == ranks ? root : 0;
}

/// Remainder of `number` modulo `root`, never negative.
Index wrapped(Index number, Index root) { return (number % root + root) % root; }

}  // namespace

Partition pencils(std::string_view benchmark, Index points, int ranks, int rank, bool as_npb) {
    const Index greater = greater_factor(points, ranks, as_npb);
    require(greater != 0,
            std::to_string(ranks) + " ranks cannot share " + std::to_string(points) +
                " points an axis in pencils with at least " + std::to_string(least_side(as_npb)) + " points a side" +
                (as_npb ? " and at most twice as many ranks on axis 1 as on axis 2" : "") +
                "; the nearest counts that can: " + (greater != 0 ? "" : nearest_counts(points, ranks, as_npb)));
    const Index lesser = ranks / greater;
    Index3 cut{1, lesser, greater};
    if (benchmark == "lu") cut = as_npb ? Index3{greater, lesser, 1} : Index3{lesser, greater, 1};
    const Cartesian box({points, points, points}, cut, rank);
    Partition partition{benchmark == "lu" ? "pencil2d" : "pencils", {box}, {}, as_npb};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        partition.neighbour[axis] = {box.neighbour(axis, Side::low), box.neighbour(axis, Side::high)};
    }
    return partition;
}

Partition multipartition(Index points, int ranks, int rank, bool as_npb) {
    const Index root = root_of_square(ranks);
    const Index most = points / least_side(as_npb);
    if (root == 0 || root > most) {
        Index below = 1;
        while ((below + 1) * (below + 1) < ranks && below < most) ++below;
        const bool has_above = (below + 1) * (below + 1) > ranks && below < most;
        throw InvalidInput("--decomposition multipartition takes a square number of ranks with at least " +
                           std::to_string(least_side(as_npb)) + " points a side of a box, not " +
                           std::to_string(ranks) + "; the nearest: " + std::to_string(below * below) +
                           (has_above ? " and " + std::to_string((below + 1) * (below + 1)) : ""));
    }
    const Index first = rank % root;
    const Index second = rank / root;
    Partition partition{"multipartition", {}, {}, as_npb};
    for (Index slab = 0; slab < root; ++slab) {
        const Index box = wrapped(first + slab, root) + root * (wrapped(second - slab, root) + root * slab);
        partition.boxes.emplace_back(Index3{points, points, points}, Index3{root, root, root}, static_cast<int>(box));
    }
    const auto at = [&](Index i, Index j) {
        return root == 1 ? -1 : static_cast<int>(wrapped(i, root) + root * wrapped(j, root));
    };
    partition.neighbour = {{{at(first - 1, second), at(first + 1, second)},
                            {at(first, second - 1), at(first, second + 1)},
                            {at(first + 1, second - 1), at(first - 1, second + 1)}}};
    return partition;
}

namespace {

/// Fraction of a box's points whose values elimination along an axis keeps at the same time: see pipeline.hpp.
double part_kept(const Partition& partition, const Cartesian& box, std::size_t axis) {
    if (box.ranks()[axis] == 1) return 0;
    if (partition.multiple()) return 1;
    const Index rows = box.owned_points()[axis == 2 ? 1 : 2];
    const Index in_progress = 2 * (box.ranks()[axis] - 1 - box.place()[axis]) + 1;
    return static_cast<double>(std::min(rows, in_progress)) / static_cast<double>(rows);
}

}  // namespace

double needed_bytes(std::string_view benchmark, const Partition& partition) {
    constexpr double fields = 4;  // The fields are u, rhs, the forcing, and the exact solution for the error.
    const double rows = partition.multiple() ? 6 : 16;  // In pencils, SP keeps u and rhs as well.
    const double kept = benchmark == "bt" ? 25 : benchmark == "sp" ? rows : 0;
    double values = 0;
    for (const Cartesian& box : partition.boxes) {
        double owned = 1;
        double stored = 1;
        for (const Index points : box.owned_points()) {
            owned *= static_cast<double>(points);
            stored *= static_cast<double>(points + 2 * Field::halo);
        }
        values += fields * Field::unknowns * stored;
        for (std::size_t axis = 0; axis < 3; ++axis) values += kept * owned * part_kept(partition, box, axis);
    }
    return sizeof(double) * values;
}

}  // namespace waywiser::npb
