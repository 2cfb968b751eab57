/// Independent checks of a run: every matrix entry, the halo, the true residual, and the analytic solution.
#pragma once

#include "workloads/minife/cg.hpp"
#include "workloads/minife/csr.hpp"
#include "workloads/minife/matrix_free.hpp"

#include <optional>
#include <string>

namespace waywiser::minife {

/// The result of a verification, the same on all ranks.
struct Verification {
    Index wrong_entries = 0;  ///< matrix entries, columns, offsets and right sides; without a matrix, rows of a product
    double right_side_norm = 0;     ///< ||b||2 with the closed-form right side
    double true_residual_norm = 0;  ///< ||b - A u||2 with the closed-form operator
    double residual_gap = 0;        ///< ||r - (b - A u)||2: how far the recurrence drifted
    double residual_gap_allowed = 0;
    double centre = 0;     ///< u at node (nx/2, ny/2, nz/2)
    double free_sum = 0;   ///< sum of u over the nodes without a prescribed value
    double free_norm = 0;  ///< 2-norm of the same
    Index compared_nodes = 0;
    double greatest_error = 0;  ///< relative to the analytic solution, over `compared_nodes`
    double error_allowed = 0;
    std::optional<double> error;  ///< `greatest_error`, if the solver was to converge and a node was compared
    std::string failure;          ///< why the run is not verified, as one sentence; empty if it is verified

    [[nodiscard]] bool passed() const { return failure.empty(); }
};

/// Compares the matrix entry by entry. Without a matrix, the operator's product with a field of random numbers is
/// compared row by row. Collective: two exchanges and two Allreduces.
/// \param matrix  none if `a` is not in compressed rows
[[nodiscard]] Verification verify(Product<double>& a, const Csr* matrix, const Array<double>& right_side,
                                  CgResult& result, const CgStop& stop, MPI_Comm communicator);

/// Spoils one matrix entry by a millionth of its row's diagonal, to prove that `verify` detects it. It is the last
/// entry of the row of the centre node, on the rank that has this row. Without a matrix, the coupling with the corners
/// is spoilt.
void break_entry(const Layout& layout, Csr& matrix);
void break_entry(ElementSums& sums);

}  // namespace waywiser::minife
