/// The assembled matrix in three formats: compressed rows, diagonals of each line of nodes, half of them.
#pragma once

#include "workloads/minife/kernels.hpp"
#include "workloads/minife/operator.hpp"

namespace waywiser::minife {

/// Compressed rows: 12 B an entry.
class CsrOperator final : public Operator<double> {
public:
    explicit CsrOperator(const Csr& matrix) : matrix_(matrix) {}

    void multiply(const Segment& segment, const double* x, double* y) override {
        minife::multiply(matrix_, segment, x, y);
    }
    [[nodiscard]] Index matrix_bytes() const override { return 12 * matrix_.entries() + 8 * matrix_.rows(); }
    [[nodiscard]] Index product_flops() const override { return 2 * matrix_.entries(); }

private:
    const Csr& matrix_;
};

/// One block a line of owned nodes along x: the 27 diagonals of its rows, one after the other, each as long as the
/// line. The columns follow from the place, so that no index is stored and no value is gathered: 27 values a row.
///
/// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., SIAM, 2003, section 3.4 (diagonal format),
/// doi:10.1137/1.9780898718003; here in blocks, so that memory is read in one stream.
template <typename Real>
class Diagonals final : public Operator<Real> {
public:
    Diagonals(const Layout& layout, const Csr& matrix);

    void multiply(const Segment& segment, const Real* x, Real* y) override;
    [[nodiscard]] Index matrix_bytes() const override { return values_.size() * sizeof(Real); }
    [[nodiscard]] Index product_flops() const override { return 2 * static_cast<Index>(values_.size()); }

private:
    const Layout& layout_;
    Array<Real> values_;
};

/// Diagonals of the node itself and of those neighbours that follow it: 14 values a row. The other 13 are those of the
/// rows before, read a line and a plane ago and in cache. Lines of the halo have their blocks, too, where they
/// precede an owned node.
template <typename Real>
class SymmetricDiagonals final : public Operator<Real> {
public:
    SymmetricDiagonals(const Layout& layout, const Csr& matrix);

    void multiply(const Segment& segment, const Real* x, Real* y) override;
    [[nodiscard]] Index matrix_bytes() const override { return values_.size() * sizeof(Real); }
    [[nodiscard]] Index product_flops() const override { return 54 * layout_.rows(); }

private:
    /// The diagonal `k` of a line, at its node x. Before each diagonal lies a 0.
    [[nodiscard]] Index place(Index k, const Index3& node) const;

    const Layout& layout_;
    Array<Real> values_;
};

}  // namespace waywiser::minife
