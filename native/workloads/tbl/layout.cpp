#include "workloads/tbl/layout.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace waywiser::tbl {
namespace {

constexpr Index value = sizeof(double);

/// The most ranks that may share axis 2.
Index most_rows(const Shape& s) {
    return std::min(s.solver == Solver::partitioned ? s.points[1] / 2 : s.points[1], s.points[2]);
}

/// The most ranks that may share axis 3, and axis 1 after a transposition.
Index most_columns(const Shape& s) { return std::min(s.waves(), s.points[2]); }

bool leaves_cells(const Shape& s, Index p1, Index p2) {
    const bool fits = p1 <= most_rows(s) && p2 <= most_columns(s);
    return fits && (s.scheme == Scheme::cn_ab || p1 <= s.points[2] / p2);
}

/// Values sent in one direction, with `n1` values on axis 1. In a transposition, a rank does not send values that it
/// holds in both pencils. If ranks share a line, one of them receives two equations from each other rank.
Index transpose_size(Index n1, const Shape& shape, const std::array<Index, 2>& p, Index unit) {
    const Index3& n = shape.points;
    Index values = 0;
    for (Index r = 0; r < p[1]; ++r) values += (n1 - share(n1, p[1], r)) * n[1] * share(n[2], p[1], r);
    if (shape.solver == Solver::partitioned) return unit * (values + 2 * n1 * n[2] * (p[0] - 1));
    for (Index r = 0; r < p[0]; ++r) values += n1 * share(n[1], p[0], r) * (n[2] - share(n[2], p[0], r));
    return unit * values;
}

/// Values of a velocity sent in one direction, within columns of ranks, if only lines between the walls are solved.
Index transpose_size_in_columns(const Shape& shape, const std::array<Index, 2>& p) {
    const Index3& n = shape.points;
    if (shape.solver == Solver::partitioned) return 2 * n[0] * n[2] * (p[0] - 1);
    Index values = 0;
    for (Index column = 0; column < p[1]; ++column) {
        const Index planes = share(n[2], p[1], column);
        for (Index r = 0; r < p[0]; ++r) values += n[0] * share(n[1], p[0], r) * (planes - share(planes, p[0], r));
    }
    return values;
}

/// The cut with the least traffic for a number of ranks; zeros if none is valid.
std::array<Index, 2> best_cut(const Shape& shape, Index ranks, const std::array<Index, 2>& requested) {
    std::array<Index, 2> best{};
    Index least = std::numeric_limits<Index>::max();
    for (Index p1 = 1; p1 <= ranks; ++p1) {
        if (ranks % p1 != 0 || !leaves_cells(shape, p1, ranks / p1)) continue;
        if ((requested[0] != 0 && requested[0] != p1) || (requested[1] != 0 && requested[1] != ranks / p1)) continue;
        const Traffic moved = traffic(shape, {p1, ranks / p1});
        if (moved.transposed + moved.halos >= least) continue;
        least = moved.transposed + moved.halos;
        best = {p1, ranks / p1};
    }
    return best;
}

std::string nearest_counts(const Shape& shape, Index ranks) {
    const Index most = most_rows(shape) * most_columns(shape);
    const auto fits = [&](Index count) { return best_cut(shape, count, {})[0] != 0; };
    Index below = std::min(ranks, most);
    while (!fits(below)) --below;
    Index above = ranks;
    while (above <= most && !fits(above)) ++above;
    return std::to_string(below) + (above <= most ? " and " + std::to_string(above) : "");
}

}  // namespace

Traffic traffic(const Shape& shape, const std::array<Index, 2>& p) {
    const Index3& n = shape.points;
    // A pass transposes three velocities and the spectrum of the pressure, there and back.
    constexpr Index fields = 3;
    const Index of_velocity =
        shape.scheme == Scheme::cn_ab ? transpose_size(n[0], shape, p, 1) : transpose_size_in_columns(shape, p);
    const Index both = fields * of_velocity + transpose_size(shape.waves(), shape, p, shape.values_of_wave());
    // A pass fills eight planes per axis: three velocities on two sides, v or w for the divergence, and the correction.
    const auto of_step = static_cast<Index>(passes(shape.scheme).size());
    const Index planes = 8 * of_step;
    const Index on_axis_2 = (p[0] - 1) * n[0] * n[2];
    const Index on_axis_3 = p[1] > 1 ? p[1] * n[0] * (n[1] + 2 * p[0]) : 0;
    // Recycling sends three velocities of each rank's inflow planes and of one more plane twice: half a span along axis
    // 3, then along axis 2 to form whole lines.
    const Index of_inflow = shape.recycled ? 2 * fields * n[1] * (n[2] + p[1]) : 0;
    return {.transposed = 2 * both * value * of_step,
            .halos = planes * (on_axis_2 + on_axis_3) * value,
            .inflow = of_inflow * value * of_step};
}

std::array<Index, 2> layout(const Shape& shape, int ranks, const std::array<Index, 2>& requested) {
    const Index3& points = shape.points;
    const std::array<Index, 2> best = best_cut(shape, ranks, requested);
    const std::string grid =
        std::to_string(points[0]) + " x " + std::to_string(points[1]) + " x " + std::to_string(points[2]);
    if (best[0] == 0 && (requested[0] != 0 || requested[1] != 0)) {
        const auto option_text = [](Index count) { return count == 0 ? std::string("free") : std::to_string(count); };
        throw InvalidInput(
            "--p1 " + option_text(requested[0]) + " and --p2 " + option_text(requested[1]) + " do not cut " + grid +
            " cells among " + std::to_string(ranks) + " rank(s): p1 x p2 must be the number of ranks, p1 at most " +
            (shape.solver == Solver::partitioned ? "n2 / 2" : "n2") + " and n3, p2 at most n3 and " +
            (shape.open ? "n1" : "n1 / 2 + 1") + (shape.scheme == Scheme::cn_ab ? "" : ", and p1 x p2 at most n3"));
    }
    require(best[0] != 0, std::to_string(ranks) + " ranks cannot share " + grid +
                              " cells in pencils; the nearest counts that can: " +
                              (best[0] != 0 ? "" : nearest_counts(shape, ranks)));
    const Index most = points[0] * (points[1] / best[0] + 1) * (points[2] / best[1] + 1);
    require(most < std::numeric_limits<int>::max(),
            grid + " cells leave more than 2^31 of them to a rank: take more ranks");
    return best;
}

double needed_bytes(const Shape& shape, const std::array<Index, 2>& p) {
    const Index3& n = shape.points;
    const auto most = [](Index points, Index parts) {
        const Index greatest = (points + parts - 1) / parts;
        return static_cast<double>(greatest);
    };
    const auto n1 = static_cast<double>(n[0]);
    const double own = n1 * most(n[1], p[0]) * most(n[2], p[1]);
    const double with_halo = (n1 + 16) * (most(n[1], p[0]) + 2) * (most(n[2], p[1]) + 2);
    // Velocities, pressure and correction have halos; changes, explicit terms, the spectrum and its pivots have none.
    const double alone = 5 * with_halo + 6 * own + 1.5 * own;
    // Changes and spectrum need pencils of the other axes and message buffers.
    const double on_axis_2 =
        shape.solver == Solver::partitioned ? 3 : 4;  // partitioned: three factors of each spectral value
    const double shared = (p[0] > 1 ? on_axis_2 : 0) + (p[1] > 1 ? 4 : 0);
    return static_cast<double>(value) * (alone + shared * own);
}

}  // namespace waywiser::tbl
