/// The tables of operators and of forms of conjugate gradients, by the names on the command line.
#pragma once

#include "workloads/minife/cg.hpp"
#include "workloads/minife/csr.hpp"
#include "workloads/minife/kernels.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace waywiser::minife {

/// The source of an operator: the assembled rows, read as they are or converted, or the stencil.
enum class Source { rows, converted_rows, stencil };

struct OperatorVariant {
    template <typename Real>
    using Maker = std::unique_ptr<Operator<Real>> (*)(const Layout& layout, const Csr& matrix,
                                                      const Stencil<double>& stencil);
    std::string_view name;
    Source source;
    Maker<double> in_double;
    Maker<float> in_single;  ///< nullptr: not available

    [[nodiscard]] bool assembled() const { return source != Source::stencil; }
};

[[nodiscard]] std::span<const OperatorVariant> operator_variants();

struct CgVariant {
    std::string_view name;
    CgResult (*solve)(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm);
};

[[nodiscard]] std::span<const CgVariant> cg_variants();

}  // namespace waywiser::minife
