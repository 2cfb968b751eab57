/// The product of sines that ww-fd differentiates, on one rank, and its exact derivatives.
#pragma once

#include "workloads/common/halo_exchange.hpp"
#include "workloads/common/kernel_options.hpp"
#include "workloads/stencil/stencil.hpp"

#include <array>
#include <string>
#include <vector>

namespace waywiser::fd {

struct Settings : KernelSettings {
    Settings() { points[0] = 100; }

    std::string operation = "all";
    std::array<double, 3> modes{};  ///< half waves on each axis; 0: `complete` chooses an error above round-off
    double amplitude = 0.8;

    [[nodiscard]] double spacing(std::size_t axis) const { return 1.0 / static_cast<double>(points[axis] - 1); }
};

/// u = amplitude sin(pi m_1 x_1) sin(pi m_2 x_2) sin(pi m_3 x_3), and the result of an operator.
template <class Real>
struct Field {
    /// Collective. Halo points outside the domain hold u; halo points that belong to a neighbour hold 0.
    Field(const Settings& settings, const Cartesian& cartesian, MPI_Comm communicator);

    std::array<double, 3> spacings;
    Grid<Real> u;
    Grid<Real> result;
    HaloExchange<Real> exchange;
};

/// Deviation of a result from the exact result, the same on all ranks.
struct Deviation {
    double error = 0;      ///< sum |computed - analytic| / sum |analytic|
    double predicted = 0;  ///< `error` of the difference formula without rounding
    double gap = 0;        ///< max |computed - formula| / max |analytic|
    double gap_allowed = 0;
    double error_allowed = 0;
    bool whole = true;  ///< all points of the grid were compared

    /// Reason why the result is not verified, in one sentence; empty if the result is verified.
    [[nodiscard]] std::string failure() const;
};

/// Compares the result of an operator with its closed forms. Collective.
template <class Real>
[[nodiscard]] Deviation verify(const Settings& settings, const Cartesian& cartesian, const Field<Real>& field,
                               stencil::Operator operation, MPI_Comm communicator);

}  // namespace waywiser::fd
