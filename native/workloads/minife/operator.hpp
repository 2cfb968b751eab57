/// The distributed matrix-vector product: halo exchange and local rows, one after the other or overlapped.
#pragma once

#include "workloads/minife/kernels.hpp"

#include <vector>

namespace waywiser::minife {

/// Rows without a halo column, and the others. Rows keep their places, so nothing is reordered.
struct RowSplit {
    std::vector<RowRange> interior;
    std::vector<RowRange> boundary;
};

[[nodiscard]] RowSplit split_rows(const Layout& layout);

class Operator {
public:
    Operator(const Csr& matrix, Halo& halo, RowSplit split, bool overlap)
        : matrix_(matrix), halo_(halo), split_(std::move(split)), overlap_(overlap) {}

    /// y = A x. Fills the halo part of `x`.
    void apply(double* x, double* y);

    /// Time in the exchange so far [s]; with overlap without what the interior rows hide.
    [[nodiscard]] double exchange_s() const { return exchange_s_; }

private:
    const Csr& matrix_;
    Halo& halo_;
    RowSplit split_;
    bool overlap_;
    double exchange_s_ = 0;
};

}  // namespace waywiser::minife
