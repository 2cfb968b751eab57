/// Finite-difference operators as kernels on a box of a grid: one template, every order, axis and precision.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/grid.hpp"

#include <array>
#include <string_view>

namespace waywiser::stencil {

/// Axes are numbered from 1, as everywhere in names.
enum class Operator { first_1, first_2, first_3, second_1, second_2, second_3, laplacian, leapfrog };

[[nodiscard]] constexpr bool is_first(Operator operation) { return operation <= Operator::first_3; }

[[nodiscard]] constexpr bool has_axis(Operator operation, int axis) {
    if (operation >= Operator::laplacian) return true;
    return static_cast<int>(operation) % 3 == axis - 1;
}

/// Form of the loops.
enum class Form {
    plain,        ///< point by point, as formulae are written; vectors are up to the compiler
    vector,       ///< vectors of the widest registers, several planes at once
    nontemporal,  ///< as `vector`, with results stored past the caches; not for leapfrog, which overwrites its input
};

/// One application of an operator. The three grids have the same shape.
///
/// leapfrog:   out = 2 in - out + factor Laplacian(in)
/// all others: out = operator(in); the first derivative at i - 1/2 on its axis
template <class Real>
struct Work {
    Real* out;           ///< inner point (0, 0, 0)
    const Real* in;      ///< inner point (0, 0, 0)
    const Real* factor;  ///< inner point (0, 0, 0); leapfrog's alone
    Index stride_2;      ///< between rows [values]
    Index stride_3;      ///< between planes [values]
    Real centre;         ///< sum over the axes of a_0 / h^2
    /// a_k / h^2 of the second derivative, or c_k / h of the first, k from 1.
    std::array<std::array<Real, 8>, 3> taps;
    bool nontemporal = false;  ///< all but leapfrog: results go round the caches
    Region box;                ///< inner points to compute

    /// The grids of the next computation, of the same shape and moved so that its box begins where this box does. The
    /// vector form prefetches them into the second cache meanwhile. Null: not known.
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

    /// This work on one box, when another comes after it.
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

/// The kernel for the widest registers of this CPU.
/// \param order  2, 4, ..., 16; for leapfrog also 0. The Laplacian of order 0 is `centre` times the point: a copy with
///               all the memory traffic of the others and no neighbours, which bounds them
template <class Real>
[[nodiscard]] Kernel<Real> find_kernel(Operator operation, Form form, int order);

/// The work on grids with these spacings. `factor` may be null but for leapfrog.
template <class Real>
[[nodiscard]] Work<Real> make_work(Operator operation, int order, const std::array<double, 3>& spacings,
                                   Grid<Real>& out, const Grid<Real>& in, const Grid<Real>* factor);

/// Flops as hpcscan counts them, so that rates compare: 48 for leapfrog of order 8.
[[nodiscard]] Index flops_per_point(Operator operation, int order);

/// Values to and from memory, each once: 4 for leapfrog; 2 for others, and 1 more where the result is allocated in
/// the cache before it is overwritten.
[[nodiscard]] constexpr Index values_per_point(Operator operation) { return operation == Operator::leapfrog ? 4 : 3; }

/// Name of the registers that kernels use here, e.g. "AVX-512".
[[nodiscard]] std::string_view registers();

}  // namespace waywiser::stencil
