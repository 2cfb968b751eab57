/// The kernels of ww-grid, on the inner points of one rank.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/grid.hpp"
#include "workloads/common/roofline.hpp"

#include <string_view>

namespace waywiser::grid {

enum class Operation {
    fill,
    max_error,
    l1_error,
    sum_abs,
    sum_abs_difference,
    max,
    min,
    update_pressure,
    boundary,
};

enum class Form {
    plain,       ///< one running result, as in the formula
    vectorised,  ///< enough values to fill the widest registers
};

struct Kernel {
    std::string_view name;
    std::string_view formula;
    Operation operation;
    int arrays_read;  ///< this and the next two count arrays at the swept points; the boundary sweeps faces
    int arrays_written;
    int write_allocates;  ///< written arrays that are not read
    int flops;
    MemoryBound like;

    [[nodiscard]] bool reduces() const { return arrays_written == 0; }
};

/// The four grids, which have the same layout.
template <class Real>
struct Fields {
    Grid<Real> w;  ///< grid that is written or reduced
    Grid<Real> r;  ///< grid with which w is compared; the current pressure
    Grid<Real> l;  ///< Laplacian of r
    Grid<Real> c;  ///< (velocity times time step)^2
};

/// A reference of smaller magnitude counts as 0, and the error is then absolute.
template <class Real>
constexpr Real least_reference = sizeof(Real) == 4 ? Real{1e-5F} : static_cast<Real>(1e-11);

/// The result of a reduction. `beside` is the second sum of l1_error, sum |r|.
struct Reduced {
    double value = 0;
    double beside = 0;
};

/// Reduces the inner points of this rank with all threads. Real is float or double.
///
/// max_error: greatest |w - r| / |r|    l1_error: sum |w - r| and sum |r|
/// Sums are added up in double.
template <class Real>
[[nodiscard]] Reduced reduce(Operation operation, Form form, const Fields<Real>& fields);

/// Sets w = value.
template <class Real>
void fill(Fields<Real>& fields, Real value);

/// Sets w = 2 r - w + c l.
template <class Real>
void update_pressure(Fields<Real>& fields);

}  // namespace waywiser::grid
