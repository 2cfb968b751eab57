/// The matrix-free operator: one stencil for all free rows, and the identity for the others.
#pragma once

#include "workloads/minife/kernels.hpp"
#include "workloads/minife/operator.hpp"

namespace waywiser::minife {

/// Sums over the elements at a free node of the mesh, from the same integrals as the assembled matrix.
struct ElementSums {
    Stencil<double> stencil;
    double load;
};
[[nodiscard]] ElementSums element_sums(const Mesh& mesh);

/// Shape (rows,): the load, with the prescribed values moved over.
void fill_right_side(const Layout& layout, const ElementSums& sums, Array<double>& right_side);

template <typename Real>
[[nodiscard]] Stencil<Real> rounded(const Stencil<double>& stencil) {
    Stencil<Real> result{};
    for (std::size_t i = 0; i < 4; ++i) {
        result.middle[i] = static_cast<Real>(stencil.middle[i]);
        result.side[i] = static_cast<Real>(stencil.side[i]);
    }
    return result;
}

template <typename Real>
class MatrixFree final : public Operator<Real> {
public:
    MatrixFree(const Layout& layout, const Stencil<double>& stencil)
        : layout_(layout),
          stencil_(rounded<Real>(stencil)),
          zeros_(static_cast<std::size_t>(layout.reach.extent(0) + 2)),
          scratch_(layout.reach.extent(0) + 2) {
        std::fill_n(zeros_.data(), zeros_.size(), Real{});
    }

    void multiply(const Segment& segment, const Real* x, Real* y) override;
    [[nodiscard]] Index matrix_bytes() const override { return 0; }
    /// There are 5 additions of lines, 7 operations each for a node's own part and its neighbours' parts, and 2 to
    /// combine them.
    [[nodiscard]] Index product_flops() const override { return 21 * layout_.rows(); }

private:
    [[nodiscard]] NineLines<Real> lines_around(const Segment& segment, const Real* x) const;

    const Layout& layout_;
    Stencil<Real> stencil_;
    Array<Real> zeros_;
    ThreadLines<Real> scratch_;
};

}  // namespace waywiser::minife
