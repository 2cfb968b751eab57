/// The assembled matrix in three formats: compressed rows, blocks without indices, half of the diagonals.
#pragma once

#include "workloads/minife/kernels.hpp"
#include "workloads/minife/operator.hpp"

namespace waywiser::minife {

/// Compressed rows, with 12 B per entry.
class CsrOperator final : public Operator<double> {
public:
    explicit CsrOperator(const Csr& matrix) : matrix_(matrix) {}

    void multiply(const Segment& segment, const double* x, double* y) override {
        minife::multiply(matrix_, segment, x, y);
    }
    /// Runs are supported because one call per line would cost a tenth of the product.
    [[nodiscard]] bool takes_runs() const override { return true; }
    [[nodiscard]] Index matrix_bytes() const override { return 12 * matrix_.entries() + 8 * matrix_.rows(); }
    [[nodiscard]] Index product_flops() const override { return 2 * matrix_.entries(); }

private:
    const Csr& matrix_;
};

/// Blocks of neighbouring rows along x, each entry of all its rows side by side. The columns follow from the place, so
/// that no index is stored and no value is gathered: there are 27 values per row in one stream. Lines end with a
/// partial block.
///
/// Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. R. Bishop, "A unified sparse matrix data format for
/// efficient general sparse matrix-vector multiplication on modern processors with wide SIMD units", SIAM Journal on
/// Scientific Computing 36(5), 2014, pp. C401-C423, doi:10.1137/130930352 (SELL-C); here without its columns.
template <typename Real>
class Blocks final : public Operator<Real> {
public:
    Blocks(const Layout& layout, const Csr& matrix);

    void multiply(const Segment& segment, const Real* x, Real* y) override;
    [[nodiscard]] Index matrix_bytes() const override { return static_cast<Index>(values_.size() * sizeof(Real)); }
    [[nodiscard]] Index product_flops() const override { return 54 * layout_.rows(); }

private:
    const Layout& layout_;
    Index blocks_a_line_;
    Array<Real> values_;
    ThreadLines<Real> line_;
};

/// Diagonals of the node itself and of the neighbours that follow it: 14 values per row. The other 13 belong to
/// preceding rows, read a line and a plane ago and still in cache. Lines of the halo have their blocks, too, if they
/// precede an owned node.
template <typename Real>
class SymmetricDiagonals final : public Operator<Real> {
public:
    SymmetricDiagonals(const Layout& layout, const Csr& matrix);

    void multiply(const Segment& segment, const Real* x, Real* y) override;
    [[nodiscard]] Index matrix_bytes() const override { return static_cast<Index>(values_.size() * sizeof(Real)); }
    [[nodiscard]] Index product_flops() const override { return 54 * layout_.rows(); }

private:
    /// The diagonal `k` of a line, at its node x. A 0 precedes each diagonal.
    [[nodiscard]] Index place(Index k, const Index3& node) const;

    const Layout& layout_;
    Array<Real> values_;
};

}  // namespace waywiser::minife
