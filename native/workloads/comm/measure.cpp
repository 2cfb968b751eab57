#include "workloads/comm/measure.hpp"

#include "base/error.hpp"
#include "workloads/common/faces.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace waywiser::comm {
namespace {

/// A number of the point in the whole grid, which a float holds exactly. It comes again after 2^23 points, which is
/// farther than a face.
double number_of(const Index3& points, const Index3& point) {
    return static_cast<double>((point[0] + points[0] * (point[1] + points[1] * point[2])) % (Index{1} << 23));
}

constexpr double nobody = -1;

/// What local point (i1, i2, i3) must hold: the number of its point, if it is this rank's or in the face of a neighbour.
double wanted_at(const Cartesian& cartesian, const Index3& local) {
    const Index3 inner = cartesian.owned_points();
    int beyond = 0;
    Index3 point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (local[axis] < 0 || local[axis] >= inner[axis]) ++beyond;
        point[axis] = cartesian.owned().lo[axis] + local[axis];
        if (point[axis] < 0 || point[axis] >= cartesian.points()[axis]) return nobody;
    }
    return beyond <= 1 ? number_of(cartesian.points(), point) : nobody;
}

template <class Real>
Index count_wrong(const Grid<Real>& grid, const Cartesian& cartesian) {
    const Region all = grid.whole_region();
    Index wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (Index i3 = all.lo[2]; i3 < all.hi[2]; ++i3) {
        for (Index i2 = all.lo[1]; i2 < all.hi[1]; ++i2) {
            for (Index i1 = all.lo[0]; i1 < all.hi[0]; ++i1) {
                const auto found = static_cast<double>(grid.at(i1, i2, i3));
                wrong += found == wanted_at(cartesian, {i1, i2, i3}) ? 0 : 1;
            }
        }
    }
    return wrong;
}

}  // namespace

std::vector<Index3> decompositions(const Index3& points, int ranks, Index halo, const Index3& wanted) {
    const auto fits = [&](const Index3& p) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (wanted[axis] != 0 && wanted[axis] != p[axis]) return false;
            if (p[axis] > 1 && points[axis] / p[axis] < halo) return false;
        }
        return true;
    };
    std::vector<Index3> found;
    for (Index p3 = 1; p3 <= ranks; ++p3) {
        if (ranks % p3 != 0) continue;
        for (Index p2 = 1; p2 <= ranks / p3; ++p2) {
            const Index3 p{ranks / p3 / p2, p2, p3};
            if (ranks / p3 % p2 == 0 && fits(p)) found.push_back(p);
        }
    }
    require(!found.empty(), "no decomposition of the grid among " + std::to_string(ranks) + " ranks leaves each " +
                                std::to_string(halo) +
                                " points to send: give more points, a lower order, or other --p1, --p2, --p3");
    return found;
}

Traffic traffic(const Index3& points, const Index3& ranks, Index halo) {
    Traffic sum;
    for (int rank = 0; rank < static_cast<int>(ranks[0] * ranks[1] * ranks[2]); ++rank) {
        const Cartesian cartesian(points, ranks, rank);
        for (const Face& face : find_faces(cartesian, cartesian.owned_points(), {halo, halo, halo})) {
            ++sum.messages;
            sum.received_points += face.receive.points();
            sum.largest_message_points = std::max(sum.largest_message_points, face.receive.points());
        }
    }
    return sum;
}

template <class Real>
Result measure(const Variant& variant, const Index3& points, const Index3& ranks_on_axes, Index halo, Index tries,
               const Ranks& ranks) {
    const Cartesian cartesian(points, ranks_on_axes, ranks.rank);
    Grid<Real> grid(cartesian.owned_points(), {halo, halo, halo});
    const auto inner = grid.inner_region();
    grid.fill([&](Index i1, Index i2, Index i3) {
        const bool own = i1 >= 0 && i1 < inner.hi[0] && i2 >= 0 && i2 < inner.hi[1] && i3 >= 0 && i3 < inner.hi[2];
        return own ? wanted_at(cartesian, {i1, i2, i3}) : nobody;
    });
    const auto exchange = make_exchange<Real>(variant.way, cartesian, grid, ranks.communicator);
    Tries taken = time_tries(tries, ranks.communicator, [&] { exchange->run(grid); });
    Index wrong = count_wrong(grid, cartesian);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, ranks.communicator);
    return {std::move(taken), wrong};
}

template Result measure<float>(const Variant&, const Index3&, const Index3&, Index, Index, const Ranks&);
template Result measure<double>(const Variant&, const Index3&, const Index3&, Index, Index, const Ranks&);

}  // namespace waywiser::comm
