#include "workloads/rupture/kernels.hpp"

namespace waywiser::rupture {
namespace {

template <class Real>
std::vector<Real> rounded(const Matrix& matrix) {
    return {matrix.values.begin(), matrix.values.end()};
}

template <class Real>
auto without_zeros(const Matrix& matrix, int order) {
    typename Tables<Real>::Sparse sparse;
    sparse.end.resize(static_cast<std::size_t>(order) - 1);
    for (int row = 0; row < matrix.rows; ++row) {
        sparse.begin.push_back(static_cast<std::int32_t>(sparse.column.size()));
        std::vector<std::int32_t> until(static_cast<std::size_t>(order) + 1, sparse.begin.back());
        for (int column = 0; column < matrix.columns; ++column) {
            if (matrix.at(row, column) == 0) continue;
            sparse.column.push_back(column);
            sparse.value.push_back(static_cast<Real>(matrix.at(row, column)));
            for (int n = order; n > 0 && column < cell_functions(n); --n) ++until[static_cast<std::size_t>(n)];
        }
        for (int i = 1; i < order; ++i) {
            sparse.end[static_cast<std::size_t>(i) - 1].push_back(until[static_cast<std::size_t>(order - i) + 1]);
        }
    }
    return sparse;
}

/// Flops of a cell per step, as executed by loops.hpp; a multiply-add counts as two.
template <class Real>
double count_flops(const Tables<Real>& tables, int order) {
    const int functions = cell_functions(order);
    const int nodes = face_functions(order);
    const double per_row = 3 * 36 + 15 + 36;
    const double trace = 33.0 * functions + 12.0 * functions * nodes + 21.0 * nodes;
    const double lift = 46.0 * functions + 6.0 * functions * nodes + 18.0 * nodes;
    double flops = 9.0 * functions + 4 * (trace + lift);
    for (int i = 1; i < order; ++i) {
        const int rows = cell_functions(order - i);
        flops += per_row * rows;
        for (const auto& matrix : tables.derivative) {
            for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
                flops += 18.0 * (matrix.end[static_cast<std::size_t>(i) - 1][row] - matrix.begin[row]);
            }
        }
    }
    return flops;
}

}  // namespace

template <class Real>
Tables<Real>::Tables(const Reference& reference) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        derivative[axis] = without_zeros<Real>(reference.derivative[axis], reference.order);
    }
    for (std::size_t face = 0; face < 4; ++face) {
        trace[face] = rounded<Real>(reference.trace[face]);
        lift[face] = rounded<Real>(reference.lift[face]);
    }
    for (std::size_t h = 0; h < 3; ++h) rotated[h].assign(reference.rotated[h].begin(), reference.rotated[h].end());
    for (std::size_t node = 0; node < reference.nodes.size(); ++node) {
        rotated[3].push_back(static_cast<std::int32_t>(node));
    }
    flops_per_update = count_flops(*this, reference.order);
}

template struct Tables<float>;
template struct Tables<double>;

}  // namespace waywiser::rupture
