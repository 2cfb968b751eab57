/// Selection of the kernels of one precision, for the widest registers of the CPU that runs them.
#pragma once

#include "workloads/common/x86_levels.hpp"
#include "workloads/stencil/coefficients.hpp"
#include "workloads/stencil/loops.hpp"

#include <utility>

namespace waywiser::stencil {

template <class Loops, class Real>
void for_any(const Work<Real>& work) {
    Loops::template run<Real, 16>(work);
}

#if WAYWISER_HAS_LEVELS
template <class Loops, class Real>
[[gnu::target("arch=x86-64-v3")]] void for_level_3(const Work<Real>& work) {
    Loops::template run<Real, 32>(work);
}

template <class Loops, class Real>
[[gnu::target("arch=x86-64-v4")]] void for_level_4(const Work<Real>& work) {
    Loops::template run<Real, 64>(work);
}
#endif

template <class Loops, class Real>
Kernel<Real> for_this_cpu() {
#if WAYWISER_HAS_LEVELS
    if (register_bytes() == 64) return for_level_4<Loops, Real>;
    if (register_bytes() == 32) return for_level_3<Loops, Real>;
#endif
    return for_any<Loops, Real>;
}

template <template <Operator, int> class Loops, Operator operation, class Real, int... radius>
Kernel<Real> of_order(int order, std::integer_sequence<int, radius...>) {
    Kernel<Real> kernel = nullptr;
    // Order 0, the copy, exists for leapfrog only.
    ((order == 2 * radius && (radius > 0 || operation == Operator::leapfrog)
          ? void(kernel = for_this_cpu<Loops<operation, radius>, Real>())
          : void()),
     ...);
    return kernel;
}

template <template <Operator, int> class Loops, class Real, int... operation>
Kernel<Real> of_operator(Operator requested, int order, std::integer_sequence<int, operation...>) {
    Kernel<Real> kernel = nullptr;
    ((static_cast<int>(requested) == operation
          ? void(kernel = of_order<Loops, Operator{operation}, Real>(order, std::make_integer_sequence<int, 9>()))
          : void()),
     ...);
    return kernel;
}

// Each specialisation has its own source file, because it takes long to compile.
template <class Real>
[[nodiscard]] Kernel<Real> find_plain(Operator operation, int order);
template <class Real>
[[nodiscard]] Kernel<Real> find_vector(Operator operation, int order);
template <>
Kernel<float> find_plain(Operator operation, int order);
template <>
Kernel<double> find_plain(Operator operation, int order);
template <>
Kernel<float> find_vector(Operator operation, int order);
template <>
Kernel<double> find_vector(Operator operation, int order);

/// `Loops` is Plain or Vectors.
template <template <Operator, int> class Loops, class Real>
Kernel<Real> find_kernel_in(Operator operation, int order) {
    return of_operator<Loops, Real>(operation, order, std::make_integer_sequence<int, 8>());
}

}  // namespace waywiser::stencil
