#include "workloads/tbl/pencils.hpp"

#include "workloads/tbl/layout.hpp"

#include <algorithm>

namespace waywiser::tbl {
namespace {

Team split(MPI_Comm communicator, int colour, int key) {
    Team team;
    MPI_Comm_split(communicator, colour, key, &team.communicator);
    MPI_Comm_size(team.communicator, &team.ranks);
    MPI_Comm_rank(team.communicator, &team.rank);
    return team;
}

Index offset(const Index3& extents, const Index3& at) { return at[0] + extents[0] * (at[1] + extents[1] * at[2]); }

/// Copies a box of one array into a box of another, both of the same extents.
void copy_box(const double* from, const Index3& from_extents, const Region& source, double* to,
              const Index3& to_extents, const Index3& target) {
    const Index planes = source.extent(2);
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < planes; ++k) {
        for (Index j = 0; j < source.extent(1); ++j) {
            const double* row = from + offset(from_extents, {source.lo[0], source.lo[1] + j, source.lo[2] + k});
            std::copy_n(row, source.extent(0), to + offset(to_extents, {target[0], target[1] + j, target[2] + k}));
        }
    }
}

Index3 extents_of(const Region& box) { return {box.extent(0), box.extent(1), box.extent(2)}; }

std::size_t values_of(const Index3& extents) { return static_cast<std::size_t>(extents[0] * extents[1] * extents[2]); }

}  // namespace

Teams::Teams(MPI_Comm communicator, Index p1) {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    const int row = static_cast<int>(rank % p1);
    const int column = static_cast<int>(rank / p1);
    first_ = split(communicator, column, row);
    second_ = split(communicator, row, column);
}

Teams::~Teams() {
    MPI_Comm_free(&first_.communicator);
    MPI_Comm_free(&second_.communicator);
}

Transposition::Transposition(const Team& team, const Index3& extents_from, std::size_t axis_from,
                             const Index3& extents_to, std::size_t axis_to, Index unit)
    : team_(team), from_(side(extents_from, axis_from, unit)), to_(side(extents_to, axis_to, unit)) {
    buffer_ = Array<double>(values_of(from_.contiguous() ? extents_to : extents_from));
}

Transposition::Side Transposition::side(const Index3& extents, std::size_t axis, Index unit) const {
    Side result{.extents = extents, .axis = axis, .parts = {}, .counts = {}, .in_place = {}, .packed = {}};
    const Index grain = axis == 0 ? unit : 1;
    const Index points = extents[axis] / grain;
    int begin = 0;
    for (Index r = 0; r < team_.ranks; ++r) {
        Region part{{0, 0, 0}, extents};
        part.lo[axis] = grain * (points * r / team_.ranks);
        part.hi[axis] = grain * (points * (r + 1) / team_.ranks);
        result.parts.push_back(part);
        result.counts.push_back(r == team_.rank ? 0 : static_cast<int>(part.points()));
        result.in_place.push_back(static_cast<int>(offset(extents, part.lo)));
        result.packed.push_back(begin);
        begin += result.counts.back();
    }
    return result;
}

void Transposition::move(const Side& from, const double* sent, const Side& to, double* received) {
    const auto own = static_cast<std::size_t>(team_.rank);
    copy_box(sent, from.extents, from.parts[own], received, to.extents, to.parts[own].lo);
    for (std::size_t r = 0; r < from.parts.size() && !from.contiguous(); ++r) {
        if (r != own) {
            copy_box(sent, from.extents, from.parts[r], buffer_.data() + from.packed[r], extents_of(from.parts[r]), {});
        }
    }
    MPI_Alltoallv(from.contiguous() ? sent : buffer_.data(), from.counts.data(),
                  from.contiguous() ? from.in_place.data() : from.packed.data(), MPI_DOUBLE,
                  to.contiguous() ? received : buffer_.data(), to.counts.data(),
                  to.contiguous() ? to.in_place.data() : to.packed.data(), MPI_DOUBLE, team_.communicator);
    for (std::size_t r = 0; r < to.parts.size() && !to.contiguous(); ++r) {
        if (r == own) continue;
        const Index3 extents = extents_of(to.parts[r]);
        copy_box(buffer_.data() + to.packed[r], extents, {{0, 0, 0}, extents}, received, to.extents, to.parts[r].lo);
    }
}

Pencils::Pencils(const Team& first, const Team& second, const Index3& points, Index unit, bool to_axis_2) {
    const Index rows = unit * share(points[0], second.ranks, second.rank);
    extents_[0] = {unit * points[0], share(points[1], first.ranks, first.rank),
                   share(points[2], second.ranks, second.rank)};
    extents_[2] = {rows, extents_[0][1], points[2]};
    extents_[1] = {rows, points[1], share(points[2], first.ranks, first.rank)};
    if (second.ranks > 1) {
        rows_.emplace_back(second, extents_[0], 0, extents_[2], 2, unit);
        with_axis_3_ = Array<double>(values_of(extents_[2]));
    }
    if (first.ranks > 1 && to_axis_2) {
        columns_.emplace_back(first, extents_[2], 2, extents_[1], 1, unit);
        with_axis_2_ = Array<double>(values_of(extents_[1]));
    }
}

double* Pencils::to_axis_3(double* from) {
    if (rows_.empty()) return from;
    rows_.front().there(from, with_axis_3_.data());
    return with_axis_3_.data();
}

double* Pencils::to_axis_2(double* from) {
    if (columns_.empty()) return from;
    columns_.front().there(from, with_axis_2_.data());
    return with_axis_2_.data();
}

void Pencils::back_to_axis_3(double* from, double* to) {
    if (!columns_.empty()) columns_.front().back(from, to);
}

void Pencils::back_to_axis_1(double* from, double* to) {
    if (!rows_.empty()) rows_.front().back(from, to);
}

}  // namespace waywiser::tbl
