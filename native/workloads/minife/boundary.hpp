/// Prescribed values: their rows become identities, their columns move to the right side.
#pragma once

#include "workloads/minife/csr.hpp"

namespace waywiser::minife {

/// The structure stays: cleared entries remain as zeros, and the matrix stays symmetric.
/// \return number of matrix entries visited; only rows at and next to the surface are visited
Index apply_boundary_conditions(const Layout& layout, Csr& matrix);

}  // namespace waywiser::minife
