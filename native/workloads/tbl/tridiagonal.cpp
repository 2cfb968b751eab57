#include "workloads/tbl/tridiagonal.hpp"

#include "workloads/common/clones.hpp"

#include <algorithm>
#include <array>

namespace waywiser::tbl {
namespace {

struct Coefficients {
    const double* lower;
    const double* inverse;
    const double* upper;
    const double* correction;  ///< null for an open line
    double last_weight;
    Index rows;
};

constexpr Index widest = 64;  ///< systems in a block, which fits into the L2 cache with a hundred rows

[[gnu::always_inline]] inline void eliminate(const Coefficients& c, double* values, Index stride, Index width) {
#pragma omp simd
    for (Index l = 0; l < width; ++l) values[l] *= c.inverse[0];
    for (Index i = 1; i < c.rows; ++i) {
        double* row = values + i * stride;
        const double* before = row - stride;
#pragma omp simd
        for (Index l = 0; l < width; ++l) row[l] = (row[l] - c.lower[i] * before[l]) * c.inverse[i];
    }
    for (Index i = c.rows - 2; i >= 0; --i) {
        double* row = values + i * stride;
        const double* behind = row + stride;
#pragma omp simd
        for (Index l = 0; l < width; ++l) row[l] -= c.upper[i] * behind[l];
    }
    if (c.correction == nullptr) return;
    std::array<double, widest> shares;
    const double* last = values + (c.rows - 1) * stride;
#pragma omp simd
    for (Index l = 0; l < width; ++l) shares[static_cast<std::size_t>(l)] = values[l] + c.last_weight * last[l];
    for (Index i = 0; i < c.rows; ++i) {
        double* row = values + i * stride;
#pragma omp simd
        for (Index l = 0; l < width; ++l) row[l] -= c.correction[i] * shares[static_cast<std::size_t>(l)];
    }
}

WAYWISER_CLONES void solve_lines(const Coefficients& c, double* values, Index stride, Index width) {
    for (Index first = 0; first < width; first += widest) {
        eliminate(c, values + first, stride, std::min(widest, width - first));
    }
}

WAYWISER_CLONES void solve_block(const Coefficients& c, double* values) {
    eliminate(c, values, Factored::lanes, Factored::lanes);
}

}  // namespace

Factored::Factored(Tridiagonal matrix, bool cyclic) : lower_(std::move(matrix.lower)) {
    auto& diagonal = matrix.diagonal;
    const double corner_low = lower_.front();        // couples the first row to the last one
    const double corner_high = matrix.upper.back();  // and the last row to the first one
    const double gamma = -diagonal.front();
    if (cyclic) {
        diagonal.front() -= gamma;
        diagonal.back() -= corner_low * corner_high / gamma;
    }
    double before = 0;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        inverse_.push_back(1 / (diagonal[i] - (i == 0 ? 0 : lower_[i] * before)));
        before = matrix.upper[i] * inverse_.back();
        upper_.push_back(before);
    }
    if (!cyclic) return;
    std::vector<double> column(diagonal.size(), 0.0);
    column.front() = gamma;
    column.back() = corner_high;
    solve(column.data(), 1, 1);
    last_weight_ = corner_low / gamma;
    const double share = 1 + column.front() + last_weight_ * column.back();
    for (double& value : column) value /= share;
    correction_ = std::move(column);
}

void Factored::solve(double* values, Index stride, Index width) const {
    solve_lines({lower_.data(), inverse_.data(), upper_.data(), correction_.empty() ? nullptr : correction_.data(),
                 last_weight_, static_cast<Index>(inverse_.size())},
                values, stride, width);
}

void Factored::solve_lanes(double* values) const {
    solve_block({lower_.data(), inverse_.data(), upper_.data(), correction_.empty() ? nullptr : correction_.data(),
                 last_weight_, static_cast<Index>(inverse_.size())},
                values);
}

}  // namespace waywiser::tbl
