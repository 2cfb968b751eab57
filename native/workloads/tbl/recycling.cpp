#include "workloads/tbl/recycling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace waywiser::tbl {
namespace {

constexpr Index values = 3;             // number of velocities of a point
constexpr double edge_velocity = 0.99;  // fraction of the outer velocity that defines the thickness
constexpr double memory = 20;           // averaging time of the running means
// The ratio of friction velocities is the ratio of momentum thicknesses to this power.
constexpr double exponent = 1. / 8;

/// The position of `y` among `places`: a row, and the weight of the next row.
struct Between {
    std::size_t row;
    double next;
};

Between between(const std::vector<double>& places, double y) {
    const auto above = std::upper_bound(places.begin() + 1, places.end() - 1, y);
    const auto row = static_cast<std::size_t>(above - places.begin() - 1);
    return {row, std::clamp((y - places[row]) / (places[row + 1] - places[row]), 0.0, 1.0)};
}

/// Interpolates a mean profile, which omits the zero on the wall; `places` begins with the wall.
double mean_at(const std::vector<double>& places, const std::vector<double>& mean, double y) {
    const Between at = between(places, y);
    return (at.row == 0 ? 0 : (1 - at.next) * mean[at.row - 1]) + at.next * mean[at.row];
}

/// Weight of the outer region at a distance from the wall, in thicknesses.
double outer_share(double y) {
    constexpr double sharpness = 4;
    constexpr double middle = 0.2;
    const double at = sharpness * (y - middle) / ((1 - 2 * middle) * y + middle);
    return std::min(1.0, (1 + std::tanh(at) / std::tanh(sharpness)) / 2);
}

/// Blends the inner and the outer region of the plane at distance y from the wall. The inner region is scaled in wall
/// units, the outer region in thicknesses.
template <class Of>
double rescaled(const Rescaling& by, double y, Of of) {
    const double outer = outer_share(y);
    return (1 - outer) * of(by.friction * y) + outer * of(by.thickness * y);
}

/// Rescales a velocity u of the plane to the inflow. The outer region rescales the velocity deficit, so that the
/// free-stream velocity is 1.
double slowed(const Rescaling& by, double y, double u) {
    return by.friction * u + outer_share(y) * (1 - by.friction * by.edge);
}

}  // namespace

void Recycling::Parts::add(Index count) {
    begins.push_back(begins.empty() ? 0 : begins.back() + counts.back());
    counts.push_back(static_cast<int>(count));
}

Recycling::Recycling(const Domain& domain, const Teams& teams, const Flow& flow)
    : domain_(domain),
      column_(teams.along(1).communicator),
      row_(teams.along(2).communicator),
      station_(static_cast<Index>(recycled_after / domain.spacing(0))),
      centres_{0.0},
      faces_{0.0} {
    for (Index row = 0; row < domain.points(1); ++row) {
        centres_.push_back(domain.wall_grid.centre(row));
        faces_.push_back(domain.wall_grid.face(row + 1));
    }
    plan_exchanges(teams.along(1), teams.along(2));
    inflow_ = means_of(flow.inflow, 0, flow.inflow, 1).u;
    plane_ = means_of_plane(flow);
}

void Recycling::plan_exchanges(const Team& first, const Team& second) {
    const Index3 n = domain_.owned();
    const Index all = domain_.points(2);
    const Index own_begin = domain_.first(2);
    const auto begin = [&](Index rank) { return all * rank / second.ranks; };
    for (Index rank = 0; rank < second.ranks; ++rank) {
        const auto sent_before = sent_planes_.size();
        const auto received_before = received_planes_.size();
        // The inflow takes planes half a span away, so that structures do not recur at the same place.
        for (Index plane = begin(rank); plane <= begin(rank + 1); ++plane) {
            const Index from = (plane + all / 2) % all - own_begin;
            if (from >= 0 && from < n[2]) sent_planes_.push_back(from);
        }
        for (Index plane = 0; plane <= n[2]; ++plane) {
            const Index from = (own_begin + plane + all / 2) % all;
            if (from >= begin(rank) && from < begin(rank + 1)) received_planes_.push_back(plane);
        }
        const Index of_plane = values * n[1];
        sent_parts_.add(of_plane * static_cast<Index>(sent_planes_.size() - sent_before));
        received_parts_.add(of_plane * static_cast<Index>(received_planes_.size() - received_before));
    }
    const Index of_row = values * (n[2] + 1);
    for (Index rank = 0; rank < first.ranks; ++rank)
        row_parts_.add(of_row * share(domain_.points(1), first.ranks, rank));
    sent_.resize(sent_planes_.size() * static_cast<std::size_t>(values * n[1]));
    received_.resize(received_planes_.size() * static_cast<std::size_t>(values * n[1]));
    own_rows_.resize(static_cast<std::size_t>(of_row * n[1]));
    rows_.resize(static_cast<std::size_t>(of_row * domain_.points(1)));
}

Recycling::Means Recycling::means_of(const Field& u, Index of_u, const Field& v, Index of_v) const {
    const Index3 n = domain_.owned();
    const auto rows = static_cast<std::size_t>(domain_.points(1));
    std::vector<double> sums(2 * rows, 0.0);
    for (Index k = 0; k < n[2]; ++k) {
        for (Index j = 0; j < n[1]; ++j) {
            const auto at = static_cast<std::size_t>(domain_.first(1) + j);
            sums[at] += u.at(of_u, j, k) / static_cast<double>(domain_.points(2));
            sums[rows + at] += v.at(of_v, j, k) / static_cast<double>(domain_.points(2));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, domain_.communicator);
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(rows);
    return {.u = {sums.begin(), middle}, .v = {middle, sums.end()}};
}

Recycling::Means Recycling::means_of_plane(const Flow& flow) const {
    return means_of(flow.velocity[0], station_, flow.velocity[1], station_);
}

double Recycling::displacement(const std::vector<double>& u) const {
    double sum = 0;
    for (Index row = 0; row < domain_.points(1); ++row) {
        sum += domain_.wall_grid.size(row) * (1 - u[static_cast<std::size_t>(row)] / u.back());
    }
    return sum;
}

double Recycling::momentum(const std::vector<double>& u) const {
    double sum = 0;
    for (Index row = 0; row < domain_.points(1); ++row) {
        const double mean = u[static_cast<std::size_t>(row)] / u.back();
        sum += domain_.wall_grid.size(row) * mean * (1 - mean);
    }
    return sum;
}

double Recycling::thickness(const std::vector<double>& u) const {
    const double edge = edge_velocity * u.back();
    // In a diverged flow, no row may reach the edge velocity; the search then ends at the last row.
    const auto row = static_cast<std::size_t>(
        std::find_if(u.begin(), u.end() - 1, [edge](double speed) { return speed >= edge; }) - u.begin());
    const double before = row == 0 ? 0 : u[row - 1];
    return centres_[row] + (edge - before) / (u[row] - before) * (centres_[row + 1] - centres_[row]);
}

Rescaling Recycling::rescaling() const {
    return {.friction = std::pow(momentum(plane_.u) / momentum(inflow_), exponent),
            .thickness = thickness(plane_.u),
            .edge = plane_.u.back()};
}

void Recycling::open_top(Flow& flow) const {
    if (!domain_.at_top()) return;
    const double leaving = (displacement(plane_.u) - displacement(inflow_)) / recycled_after;
    const Index3 n = domain_.owned();
    for (Index k = 0; k < n[2]; ++k) std::fill_n(flow.velocity[1].row(n[1] - 1, k), n[0], leaving);
}

void Recycling::remember(const Means& now, double interval) {
    const double share_of_now = std::min(1.0, interval / memory);
    for (std::size_t row = 0; row < inflow_.size(); ++row) {
        plane_.u[row] += share_of_now * (now.u[row] - plane_.u[row]);
        plane_.v[row] += share_of_now * (now.v[row] - plane_.v[row]);
    }
}

void Recycling::gather(const Flow& flow) {
    const Index3 n = domain_.owned();
    double* next = sent_.data();
    for (const Index k : sent_planes_) {
        for (Index j = 0; j < n[1]; ++j) {
            for (const Field& field : flow.velocity) *next++ = field.at(station_, j, k);
        }
    }
    MPI_Alltoallv(sent_.data(), sent_parts_.counts.data(), sent_parts_.begins.data(), MPI_DOUBLE, received_.data(),
                  received_parts_.counts.data(), received_parts_.begins.data(), MPI_DOUBLE, row_);
    const double* from = received_.data();
    for (const Index k : received_planes_) {
        for (Index j = 0; j < n[1]; ++j) {
            std::copy_n(from, values, own_rows_.data() + values * (k + (n[2] + 1) * j));
            from += values;
        }
    }
    MPI_Allgatherv(own_rows_.data(), static_cast<int>(own_rows_.size()), MPI_DOUBLE, rows_.data(),
                   row_parts_.counts.data(), row_parts_.begins.data(), MPI_DOUBLE, column_);
}

double Recycling::value(std::size_t component, double y, Index plane) const {
    const Between at = between(component == 1 ? faces_ : centres_, y);
    const auto planes = static_cast<std::size_t>(domain_.owned()[2] + 1);
    const auto of_place = [&](std::size_t place) {
        if (place == 0) return 0.0;
        return rows_[(static_cast<std::size_t>(plane) + planes * (place - 1)) * values + component];
    };
    return (1 - at.next) * of_place(at.row) + at.next * of_place(at.row + 1);
}

void Recycling::take_means_out(const Means& now) {
    const Index planes = domain_.owned()[2] + 1;
    double* at = rows_.data();
    for (std::size_t row = 0; row < now.u.size(); ++row) {
        for (Index k = 0; k < planes; ++k, at += values) {
            at[0] -= now.u[row];
            at[1] -= now.v[row];
        }
    }
}

void Recycling::renew(Flow& flow, double interval) {
    const Means now = means_of_plane(flow);
    remember(now, interval);
    gather(flow);
    take_means_out(now);
    by_ = rescaling();
    const Means mean = mean_inflow();
    inflow_ = mean.u;
    // The loops include the next row and plane, whose inflow convects velocities of this rank.
    const Index rows = std::min(domain_.owned()[1] + 1, domain_.points(1) - domain_.first(1));
#pragma omp parallel for schedule(static)
    for (Index j = 0; j < rows; ++j) {
        const Index row = domain_.first(1) + j;
        const auto at = static_cast<std::size_t>(row);
        const std::array<double, values> means{mean.u[at], mean.v[at], 0};
        for (Index k = 0; k <= domain_.owned()[2]; ++k) {
            for (std::size_t c = 0; c < means.size(); ++c) {
                const double y = c == 1 ? domain_.wall_grid.face(row + 1) : domain_.wall_grid.centre(row);
                const double moved = rescaled(by_, y, [&](double there) { return value(c, there, k); });
                flow.inflow.at(static_cast<Index>(c), j, k) = means[c] + by_.friction * moved;
            }
        }
    }
}

Recycling::Means Recycling::mean_inflow() const {
    Means means;
    for (Index row = 0; row < domain_.points(1); ++row) {
        const double y = domain_.wall_grid.centre(row);
        const double u = rescaled(by_, y, [&](double there) { return mean_at(centres_, plane_.u, there); });
        const double face = domain_.wall_grid.face(row + 1);
        means.u.push_back(slowed(by_, y, u));
        means.v.push_back(rescaled(by_, face, [&](double there) { return mean_at(faces_, plane_.v, there); }));
    }
    return means;
}

}  // namespace waywiser::tbl
