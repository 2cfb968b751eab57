#include "workloads/tbl/flow.hpp"

#include "workloads/common/clones.hpp"

#include <algorithm>

namespace waywiser::tbl {
namespace {

constexpr int halo_tag = 1;

WAYWISER_CLONES void divergence_row(const double* u, const double* v, const double* v_below, const double* w,
                                    const double* w_before, const std::array<double, 3>& per_size, Index n,
                                    double* out) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        out[i] =
            per_size[0] * (u[i] - u[i - 1]) + per_size[1] * (v[i] - v_below[i]) + per_size[2] * (w[i] - w_before[i]);
    }
}

Field field(const Domain& domain, int colour, Index values_of_row) {
    Field result({values_of_row, domain.owned()[1], domain.owned()[2]}, {1, 1, 1}, colour);
    result.fill([](Index, Index, Index) { return 0.0; });
    return result;
}

Field field(const Domain& domain, int colour) { return field(domain, colour, domain.points(0)); }

/// Calls `body(row, j, k)` for each row, including halos.
template <class Body>
void each_row_of(Field& field, Body body) {
    const Index3& n = field.inner();
#pragma omp parallel for schedule(static)
    for (Index k = -1; k <= n[2]; ++k) {
        for (Index j = -1; j <= n[1]; ++j) body(field.row(j, k), j, k);
    }
}

/// Copies the end values of all rows into the halos at the opposite ends.
void wrap_rows(Field& field) {
    const Index n = field.inner()[0];
    each_row_of(field, [n](double* row, Index, Index) {
        row[-1] = row[n - 1];
        row[n] = row[0];
    });
}

}  // namespace

Halo::Halo(const Domain& domain)
    : owned_(domain.owned()),
      rank_(static_cast<int>(domain.cartesian.place()[1] + domain.cartesian.ranks()[1] * domain.cartesian.place()[2])),
      communicator_(domain.communicator) {
    const Cartesian& c = domain.cartesian;
    const auto at_wall = [](int rank) { return rank < 0 ? MPI_PROC_NULL : rank; };
    neighbours_[1] = {at_wall(c.neighbour(1, Side::low)), at_wall(c.neighbour(1, Side::high))};
    const Index row = c.place()[1];
    const Index columns = c.ranks()[2];
    const auto periodic = [&](Index column) { return static_cast<int>(row + c.ranks()[1] * (column % columns)); };
    neighbours_[2] = {periodic(c.place()[2] + columns - 1), periodic(c.place()[2] + 1)};
    const Index plane = owned_[0] * std::max(owned_[2], owned_[1] + 2);
    sent_ = Array<double>(static_cast<std::size_t>(3 * plane));
    received_ = Array<double>(static_cast<std::size_t>(3 * plane));
}

void Halo::fill(std::size_t axis, Side side, std::initializer_list<Field*> fields) {
    const Neighbours& n = neighbours_[axis];
    if (n.low == MPI_PROC_NULL && n.high == MPI_PROC_NULL) return;
    // Planes of axis 3 include the halo rows of axis 2, which are filled first.
    const std::size_t along = 3 - axis;
    const Index lo = along == 1 ? -1 : 0;
    const Index hi = along == 1 ? owned_[1] + 1 : owned_[2];
    const auto row = [&](Field& f, Index plane, Index at) { return axis == 1 ? f.row(plane, at) : f.row(at, plane); };
    double* next = sent_.data();
    for (Field* f : fields) {
        for (Index at = lo; at < hi; ++at) {
            next = std::copy_n(row(*f, side == Side::low ? owned_[axis] - 1 : 0, at), owned_[0], next);
        }
    }
    const int to = side == Side::low ? n.high : n.low;
    const int from = side == Side::low ? n.low : n.high;
    const double* received = received_.data();
    if (to == rank_) {
        received = sent_.data();
    } else {
        const int values = static_cast<int>(next - sent_.data());
        MPI_Sendrecv(sent_.data(), values, MPI_DOUBLE, to, halo_tag, received_.data(), values, MPI_DOUBLE, from,
                     halo_tag, communicator_, MPI_STATUS_IGNORE);
    }
    if (from == MPI_PROC_NULL) return;
    for (Field* f : fields) {
        for (Index at = lo; at < hi; ++at) {
            std::copy_n(received, owned_[0], row(*f, side == Side::low ? -1 : owned_[axis], at));
            received += owned_[0];
        }
    }
}

Flow::Flow(const Domain& of)
    : domain(of),
      velocity{field(of, 0), field(of, 1), field(of, 2)},
      pressure(field(of, 3)),
      correction(field(of, 4)),
      inflow(of.open ? field(of, 5, 3) : Field()),
      halo(of) {}

void Flow::complete_velocity() {
    auto& [u, v, w] = velocity;
    halo.fill(1, Side::low, {&u, &v, &w});
    halo.fill(1, Side::high, {&u, &v, &w});
    apply_walls();
    halo.fill(2, Side::low, {&u, &v, &w});
    halo.fill(2, Side::high, {&u, &v, &w});
    for (std::size_t c = 0; c < 3; ++c) end_rows(c);
}

void Flow::complete_for_divergence() {
    halo.fill(1, Side::low, {&velocity[1]});
    halo.fill(2, Side::low, {&velocity[2]});
    end_rows(0);
}

void Flow::complete_correction() {
    halo.fill(1, Side::high, {&correction});
    halo.fill(2, Side::high, {&correction});
    if (!domain.open) return wrap_rows(correction);
    const Index n = domain.points(0);
    each_row_of(correction, [n](double* row, Index, Index) { row[n] = row[n - 1]; });
}

void Flow::apply_walls() {
    const Index3 n = domain.owned();
    const auto one_wall = [&](const Wall& wall, Index inside, Index outside) {
        for (const std::size_t c : along_walls) {
            for (Index k = 0; k < n[2]; ++k) {
                const double* next = velocity[c].row(inside, k);
                double* behind = velocity[c].row(outside, k);
                for (Index i = 0; i < n[0]; ++i) behind[i] = wall.beyond(next[i], c);
            }
        }
    };
    if (domain.at_bottom()) one_wall(domain.bottom, 0, -1);
    if (domain.at_top()) one_wall(domain.top, n[1] - 1, n[1]);
}

void Flow::end_rows(std::size_t component) {
    if (!domain.open) return wrap_rows(velocity[component]);
    const auto c = static_cast<Index>(component);
    each_row_of(velocity[component], [&](double* row, Index j, Index k) {
        const double entering = inflow.at(c, j, k);
        row[-1] = c == 0 ? entering : 2 * entering - row[0];
    });
}

Divergence::Divergence(const Flow& of) : flow(of), per_dx(1 / of.domain.spacing(0)), per_dz(1 / of.domain.spacing(2)) {}

void Divergence::row(Index j, Index k, double* out) const {
    const auto& [u, v, w] = flow.velocity;
    const double per_dy = 1 / flow.domain.wall_grid.size(flow.domain.first(1) + j);
    divergence_row(u.row(j, k), v.row(j, k), v.row(j - 1, k), w.row(j, k), w.row(j, k - 1), {per_dx, per_dy, per_dz},
                   u.inner()[0], out);
}

}  // namespace waywiser::tbl
