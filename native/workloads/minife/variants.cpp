#include "workloads/minife/variants.hpp"

#include "workloads/minife/formats.hpp"
#include "workloads/minife/matrix_free.hpp"

namespace waywiser::minife {
namespace {

std::unique_ptr<Operator<double>> make_csr(const Layout&, const Csr& matrix, const Stencil<double>&) {
    return std::make_unique<CsrOperator>(matrix);
}

template <template <typename> typename Format, typename Real>
std::unique_ptr<Operator<Real>> make_format(const Layout& layout, const Csr& matrix, const Stencil<double>&) {
    return std::make_unique<Format<Real>>(layout, matrix);
}

template <typename Real>
std::unique_ptr<Operator<Real>> make_matrix_free(const Layout& layout, const Csr&, const Stencil<double>& stencil) {
    return std::make_unique<MatrixFree<Real>>(layout, stencil);
}

constexpr OperatorVariant operators[] = {
    {"csr", Source::rows, make_csr, nullptr},
    {"blocks", Source::converted_rows, make_format<Blocks, double>, make_format<Blocks, float>},
    {"symmetric", Source::converted_rows, make_format<SymmetricDiagonals, double>,
     make_format<SymmetricDiagonals, float>},
    {"matrix-free", Source::stencil, make_matrix_free<double>, make_matrix_free<float>},
};

constexpr CgVariant forms[] = {
    {"standard", solve_standard},
    {"fused", solve_fused},
    {"pipelined", solve_pipelined},
};

}  // namespace

std::span<const OperatorVariant> operator_variants() { return operators; }
std::span<const CgVariant> cg_variants() { return forms; }

}  // namespace waywiser::minife
