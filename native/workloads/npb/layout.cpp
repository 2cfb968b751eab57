#include "workloads/npb/layout.hpp"

#include "base/error.hpp"
#include "workloads/npb/field.hpp"

#include <string>

namespace waywiser::npb {
namespace {

/// The greater of two factors that differ least; 0 if each leaves some rank with too few points for a halo.
Index greater_factor(Index points, Index ranks) {
    Index greater = ranks;
    for (Index factor = 1; factor * factor <= ranks; ++factor) {
        if (ranks % factor == 0) greater = ranks / factor;
    }
    return points / greater >= Field::halo || greater == 1 ? greater : 0;
}

std::string nearest_counts(Index points, Index ranks) {
    Index below = ranks;
    while (greater_factor(points, below) == 0) --below;
    Index above = ranks;
    const Index most = (points / Field::halo) * (points / Field::halo);
    while (above <= most && greater_factor(points, above) == 0) ++above;
    return std::to_string(below) + (above <= most ? " and " + std::to_string(above) : "");
}

}  // namespace

Index3 layout(std::string_view benchmark, Index points, int ranks) {
    const Index greater = greater_factor(points, ranks);
    require(greater != 0,
            std::to_string(ranks) + " ranks cannot share " + std::to_string(points) +
                " points an axis in pencils with at least " + std::to_string(Field::halo) +
                " points a side; the nearest counts that can: " + (greater != 0 ? "" : nearest_counts(points, ranks)));
    const Index lesser = ranks / greater;
    return benchmark == "lu" ? Index3{lesser, greater, 1} : Index3{1, lesser, greater};
}

double needed_bytes(std::string_view benchmark, const Index3& points, const Index3& ranks) {
    double owned = 1;
    double stored = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index most = (points[axis] + ranks[axis] - 1) / ranks[axis];
        owned *= static_cast<double>(most);
        stored *= static_cast<double>(most + 2 * Field::halo);
    }
    constexpr double fields = 4;  // u, rhs, the forcing, and the exact solution that the error is of
    const double kept = benchmark == "bt" ? 25 : benchmark == "sp" ? 6 : 0;
    double axes_cut = 0;
    for (const Index one : ranks) axes_cut += one > 1 ? 1 : 0;
    return sizeof(double) * (fields * Field::unknowns * stored + axes_cut * kept * owned);
}

}  // namespace waywiser::npb
