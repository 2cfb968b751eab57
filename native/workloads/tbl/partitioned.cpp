#include "workloads/tbl/partitioned.hpp"

#include "workloads/common/clones.hpp"

#include <algorithm>

namespace waywiser::tbl {
namespace {

WAYWISER_CLONES void scale_row(double* row, const double* factor, Index width) {
#pragma omp simd
    for (Index i = 0; i < width; ++i) row[i] *= factor[i];
}

WAYWISER_CLONES void add_multiple(double* row, double factor, const double* addend, Index width) {
#pragma omp simd
    for (Index i = 0; i < width; ++i) row[i] += factor * addend[i];
}

WAYWISER_CLONES void add_product(double* row, double factor, const double* factors, const double* addend, Index width) {
#pragma omp simd
    for (Index i = 0; i < width; ++i) row[i] += factor * factors[i] * addend[i];
}

}  // namespace

Partitioned::Partitioned(const Team& team, const Index3& extents, Lines lines)
    : team_(team), extents_(extents), all_rows_(static_cast<Index>(lines.lower.size())), alike_(lines.alike) {
    lines.lower.front() = 0;
    lines.upper.back() = 0;
    const Index width = extents[0];
    const Index own_planes = planes(team.rank);
    int begin = 0;
    for (int r = 0; r < team.ranks; ++r) {
        const bool own = r == team.rank;
        packed_counts_.push_back(own ? 0 : static_cast<int>(2 * planes(r) * width));
        packed_begins_.push_back(begin);
        begin += packed_counts_.back();
        system_counts_.push_back(own ? 0 : static_cast<int>(2 * own_planes * width));
        system_begins_.push_back(static_cast<int>(2 * own_planes * width * r));
    }
    packed_ = Array<double>(static_cast<std::size_t>(begin));
    system_ = Array<double>(static_cast<std::size_t>(reduced_rows() * own_planes * width));
    keep_own(lines);
    keep_reduced(lines);
}

Partitioned::Eliminated Partitioned::eliminated(const Lines& lines, int rank, Index i, Index k) const {
    const Index begin = first_row(rank);
    const Index rows = first_row(rank + 1) - begin;
    const auto row = [&](Index j) {
        const auto at = static_cast<std::size_t>(begin + j);
        return Row{lines.lower[at], lines.diagonal(begin + j, i, k), lines.upper[at]};
    };
    std::vector<double> inverse(static_cast<std::size_t>(rows), 0.0);
    std::vector<double> of_first = inverse;
    std::vector<double> of_last = inverse;
    Row first = row(0);
    Row last = row(rows - 1);
    if (rows > 2) {
        double before = 0;
        for (Index j = 1; j + 1 < rows; ++j) {
            const auto at = static_cast<std::size_t>(j);
            const Row here = row(j);
            inverse[at] = 1 / (here.diagonal - here.lower * before);
            before = here.upper * inverse[at];
            of_first[at] = (j == 1 ? 1 : -of_first[at - 1]) * here.lower * inverse[at];
            if (j + 2 == rows) of_last[at] = before;
        }
        for (Index j = rows - 3; j >= 1; --j) {
            const auto at = static_cast<std::size_t>(j);
            const double factor = row(j).upper * inverse[at];
            of_first[at] -= factor * of_first[at + 1];
            of_last[at] = -factor * of_last[at + 1];
        }
        const auto end = static_cast<std::size_t>(rows - 2);
        first = {first.lower, first.diagonal - first.upper * of_first[1], -first.upper * of_last[1]};
        last = {-last.lower * of_first[end], last.diagonal - last.lower * of_last[end], last.upper};
    }
    return {first, last, std::move(inverse), std::move(of_first), std::move(of_last)};
}

void Partitioned::keep_own(const Lines& lines) {
    const Index width = extents_[0];
    const Index rows = extents_[1];
    const auto begin = static_cast<std::ptrdiff_t>(first_row(team_.rank));
    lower_.assign(lines.lower.begin() + begin, lines.lower.begin() + begin + rows);
    upper_.assign(lines.upper.begin() + begin, lines.upper.begin() + begin + rows);
    const Index different = alike_ ? 1 : extents_[2];
    for (Array<double>* array : {&inverse_, &of_first_, &of_last_}) {
        *array = Array<double>(static_cast<std::size_t>(different * rows * width));
    }
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < different; ++k) {
        for (Index i = 0; i < width; ++i) {
            const Eliminated e = eliminated(lines, team_.rank, i, k);
            for (Index j = 0; j < rows; ++j) {
                const Index at = i + width * (j + rows * k);
                const auto row = static_cast<std::size_t>(j);
                inverse_[at] = e.inverse[row];
                of_first_[at] = e.of_first[row];
                of_last_[at] = e.of_last[row];
            }
        }
    }
}

void Partitioned::keep_reduced(const Lines& lines) {
    const Index width = extents_[0];
    const Index different = alike_ ? 1 : planes(team_.rank);
    for (Array<double>* array : {&low_, &pivot_, &high_}) {
        *array = Array<double>(static_cast<std::size_t>(reduced_rows() * different * width));
    }
    for (Index k = 0; k < different; ++k) {
        for (Index i = 0; i < width; ++i) {
            double before = 0;
            for (Index j = 0; j < reduced_rows(); ++j) {
                const Eliminated e = eliminated(lines, static_cast<int>(j / 2), i, first_plane(team_.rank) + k);
                const Row& row = j % 2 == 0 ? e.first : e.last;
                const Index at = i + width * (k + different * j);
                low_[at] = row.lower;
                pivot_[at] = 1 / (row.diagonal - row.lower * before);
                before = high_[at] = row.upper * pivot_[at];
            }
        }
    }
}

std::array<double*, 2> Partitioned::ends(Index k) {
    const Index width = extents_[0];
    int rank = team_.ranks - 1;
    while (first_plane(rank) > k) --rank;
    const auto at = static_cast<std::size_t>(rank);
    double* const begin =
        rank == team_.rank ? system_.data() + system_begins_[at] : packed_.data() + packed_begins_[at];
    double* const first = begin + width * (k - first_plane(rank));
    return {first, first + width * planes(rank)};
}

void Partitioned::reduce(double* plane, Index k) {
    const Index width = extents_[0];
    const Index rows = extents_[1];
    const double* const inverse = inverse_.data() + (alike_ ? 0 : k * rows * width);
    const auto [first, last] = ends(k);
    for (Index j = 1; j + 1 < rows; ++j) {
        double* const row = plane + j * width;
        if (j > 1) add_multiple(row, -lower_[static_cast<std::size_t>(j)], row - width, width);
        scale_row(row, inverse + j * width, width);
    }
    for (Index j = rows - 3; j >= 1; --j) {
        double* const row = plane + j * width;
        add_product(row, -upper_[static_cast<std::size_t>(j)], inverse + j * width, row + width, width);
    }
    const double* const end = plane + (rows - 1) * width;
    std::copy_n(plane, width, first);
    std::copy_n(end, width, last);
    if (rows == 2) return;
    add_multiple(first, -upper_.front(), plane + width, width);
    add_multiple(last, -lower_.back(), end - width, width);
}

void Partitioned::solve_reduced(Index plane) {
    const Index width = extents_[0];
    const Index step = planes(team_.rank) * width;  // distance between rows
    const Index factor_step = alike_ ? width : step;
    double* const values = system_.data() + plane * width;
    const Index of_plane = alike_ ? 0 : plane * width;
    const Index rows = reduced_rows();
    for (Index j = 0; j < rows; ++j) {
        double* const row = values + j * step;
        if (j > 0) add_product(row, -1, low_.data() + of_plane + j * factor_step, row - step, width);
        scale_row(row, pivot_.data() + of_plane + j * factor_step, width);
    }
    for (Index j = rows - 2; j >= 0; --j) {
        double* const row = values + j * step;
        add_product(row, -1, high_.data() + of_plane + j * factor_step, row + step, width);
    }
}

void Partitioned::expand(double* plane, Index k) {
    const Index width = extents_[0];
    const Index rows = extents_[1];
    const Index factors = alike_ ? 0 : k * rows * width;
    const auto [first, last] = ends(k);
    std::copy_n(first, width, plane);
    std::copy_n(last, width, plane + (rows - 1) * width);
    for (Index j = 1; j + 1 < rows; ++j) {
        double* const row = plane + j * width;
        add_product(row, -1, of_first_.data() + factors + j * width, first, width);
        add_product(row, -1, of_last_.data() + factors + j * width, last, width);
    }
}

void Partitioned::solve(double* values) {
    const Index plane = extents_[0] * extents_[1];
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < extents_[2]; ++k) reduce(values + k * plane, k);
    MPI_Alltoallv(packed_.data(), packed_counts_.data(), packed_begins_.data(), MPI_DOUBLE, system_.data(),
                  system_counts_.data(), system_begins_.data(), MPI_DOUBLE, team_.communicator);
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < planes(team_.rank); ++k) solve_reduced(k);
    MPI_Alltoallv(system_.data(), system_counts_.data(), system_begins_.data(), MPI_DOUBLE, packed_.data(),
                  packed_counts_.data(), packed_begins_.data(), MPI_DOUBLE, team_.communicator);
#pragma omp parallel for schedule(static)
    for (Index k = 0; k < extents_[2]; ++k) expand(values + k * plane, k);
}

}  // namespace waywiser::tbl
