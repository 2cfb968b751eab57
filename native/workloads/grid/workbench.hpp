/// A rank's part of the grids, on which kernels are timed and then checked.
#pragma once

#include "workloads/common/kernel_options.hpp"
#include "workloads/common/program.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/grid/kernels.hpp"

#include <string>

namespace waywiser::grid {

struct Settings : KernelSettings {
    Settings() { variant = "all"; }

    std::string kernel = "all";
    double fill_value = 0.8;
    bool barrier = false;
};

struct Result {
    Tries tries;
    Reduced value;   ///< result of a reduction over all ranks
    double error;    ///< largest error of any point, or of a reduction on any rank; relative for reductions
    double allowed;  ///< 0 where the arithmetic is exact
};

/// The cost of one sweep, for all ranks together.
struct Cost {
    Index points;         ///< points swept; for the boundary, points written
    Index counted_bytes;  ///< bytes in the formula
    Index moved_bytes;    ///< bytes including write-allocates
    Index flops;
};

template <class Real>
class Workbench {
public:
    /// Allocates the grids. Collective.
    /// \throws InvalidInput  on all ranks, if the grid cannot be divided as requested
    Workbench(const Settings& settings, const Ranks& ranks);

    /// Measures and checks a kernel. Collective; the fields are unchanged afterwards.
    [[nodiscard]] Result measure(const Kernel& kernel, Form form, Index tries);

    [[nodiscard]] Cost cost(const Kernel& kernel) const;
    [[nodiscard]] const Cartesian& cartesian() const { return cartesian_; }

private:
    void reset_w();
    [[nodiscard]] Reduced run(const Kernel& kernel, Form form);
    [[nodiscard]] Reduced over_ranks(const Kernel& kernel, const Reduced& local) const;
    [[nodiscard]] double error_of_reduction(const Kernel& kernel, Form form, const Reduced& everywhere);
    [[nodiscard]] double error_of_planted(const Kernel& kernel, Form form);
    template <class Expected>
    [[nodiscard]] double greatest_error(Expected expected);
    [[nodiscard]] double error_of_field(const Kernel& kernel, Index sweeps);
    [[nodiscard]] double after_boundary(Index i1, Index i2, Index i3) const;
    [[nodiscard]] int residue(Index i1, Index i2, Index i3) const;
    [[nodiscard]] bool is_inner(Index i1, Index i2, Index i3) const;

    Ranks ranks_;
    Cartesian cartesian_;
    Fields<Real> fields_;
    Surface<Real> boundary_;
    Real fill_value_;
    bool barrier_;
};

}  // namespace waywiser::grid
