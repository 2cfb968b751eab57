/// Finite-difference operators as kernels on a box of a grid: one template, every order, axis and precision.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/grid.hpp"

#include <array>
#include <string_view>

namespace waywiser::stencil {

/// Operators. The digit in a name is the number of the axis, from 1.
enum class Operator { first_1, first_2, first_3, second_1, second_2, second_3, laplacian, leapfrog };

[[nodiscard]] constexpr bool is_first(Operator operation) { return operation <= Operator::first_3; }

[[nodiscard]] constexpr bool has_axis(Operator operation, int axis) {
    if (operation >= Operator::laplacian) return true;
    return static_cast<int>(operation) % 3 == axis - 1;
}

/// Form of the loops.
enum class Form {
    plain,        ///< one point at a time; the compiler may vectorise the loop
    vector,       ///< vectors of the widest registers, on several planes or rows at once
    nontemporal,  ///< as `vector`, with nontemporal stores of results; not for leapfrog, which overwrites its input
};

/// One application of an operator. The three grids have the same shape.
///
/// leapfrog:   out = 2 in - out + factor Laplacian(in)
/// others:     out = operator(in); a first derivative is evaluated at i - 1/2 on its axis
template <class Real>
struct Work {
    Real* out;           ///< inner point (0, 0, 0)
    const Real* in;      ///< inner point (0, 0, 0)
    const Real* factor;  ///< inner point (0, 0, 0); only leapfrog has a factor
    Index stride_2;      ///< distance between rows [values]
    Index stride_3;      ///< distance between planes [values]
    Real centre;         ///< sum over the axes of a_0 / h^2
    /// a_k / h^2 of the second derivative, or c_k / h of the first, k from 1.
    std::array<std::array<Real, 8>, 3> taps;
    bool nontemporal = false;  ///< requests nontemporal stores, which leapfrog does not use
    Region box;                ///< inner points to compute

    /// Grids of the next application, which have the same shape. The pointers are shifted so that the next box begins
    /// where this box begins. The vector form prefetches these grids into the L2 cache during this application. Null if
    /// unknown.
    struct Next {
        const Real* out = nullptr;
        const Real* in = nullptr;
        const Real* factor = nullptr;
    } next{};

    void announce(const Work& work) {
        const Index moved = work.box.lo[0] - box.lo[0] + (work.box.lo[1] - box.lo[1]) * stride_2 +
                            (work.box.lo[2] - box.lo[2]) * stride_3;
        next = {work.out + moved, work.in + moved, work.factor == nullptr ? nullptr : work.factor + moved};
    }

    /// Returns this work for box `now`, with `after` as the next box.
    [[nodiscard]] Work part(const Region& now, const Region& after) const {
        Work mine = *this;
        mine.box = after;
        Work result = *this;
        result.box = now;
        result.announce(mine);
        return result;
    }
};

template <class Real>
using Kernel = void (*)(const Work<Real>& work);

/// Returns the kernel for the widest registers of this CPU.
/// \param order  2, 4, ..., 16; for leapfrog also 0. The Laplacian of order 0 is `centre` times the point: this kernel
///               has the memory traffic of other orders but reads no neighbours, and so bounds their rates
template <class Real>
[[nodiscard]] Kernel<Real> find_kernel(Operator operation, Form form, int order);

/// Describes an application to all inner points of grids with these spacings. `factor` may be null except for leapfrog.
template <class Real>
[[nodiscard]] Work<Real> make_work(Operator operation, int order, const std::array<double, 3>& spacings,
                                   Grid<Real>& out, const Grid<Real>& in, const Grid<Real>* factor);

/// Flops per point as hpcscan counts them, so that rates are comparable: 48 for leapfrog of order 8.
[[nodiscard]] Index flops_per_point(Operator operation, int order);

/// Values moved to and from memory per point, each counted once. Leapfrog reads 3 and writes 1. Other operators read 1,
/// write 1, and read 1 more for the write-allocate, which is counted for nontemporal stores, too.
[[nodiscard]] constexpr Index values_per_point(Operator operation) { return operation == Operator::leapfrog ? 4 : 3; }

/// Name of the vector registers that kernels use on this CPU, e.g. "AVX-512".
[[nodiscard]] std::string_view registers();

}  // namespace waywiser::stencil
