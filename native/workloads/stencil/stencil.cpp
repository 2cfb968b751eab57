#include "workloads/stencil/stencil.hpp"

#include "workloads/stencil/dispatch.hpp"

#include <algorithm>

namespace waywiser::stencil {
namespace {

/// Coefficients a_0 ... a_m of the second derivative, or 0 and c_1 ... c_m of the first.
template <int m>
std::array<double, 9> coefficients_of(bool first) {
    std::array<double, 9> result{};
    if constexpr (m == 0) {
        result[0] = 1;
    } else if (first) {
        std::ranges::copy(staggered_first_derivative<m>(), result.begin() + 1);
    } else {
        std::ranges::copy(second_derivative<m>(), result.begin());
    }
    return result;
}

template <int... m>
std::array<double, 9> coefficients(bool first, int order, std::integer_sequence<int, m...>) {
    std::array<double, 9> result{};
    ((order == 2 * m ? void(result = coefficients_of<m>(first)) : void()), ...);
    return result;
}

}  // namespace

std::string_view registers() {
    if (register_bytes() == 64) return "AVX-512";
    if (register_bytes() == 32) return "AVX2";
    return "128-bit";
}

template <class Real>
Kernel<Real> find_kernel(Operator operation, Form form, int order) {
    return form == Form::plain ? find_plain<Real>(operation, order) : find_vector<Real>(operation, order);
}

template Kernel<float> find_kernel(Operator, Form, int);
template Kernel<double> find_kernel(Operator, Form, int);

template <class Real>
Work<Real> make_work(Operator operation, int order, const std::array<double, 3>& spacings, Grid<Real>& out,
                     const Grid<Real>& in, const Grid<Real>* factor) {
    const bool first = is_first(operation);
    const std::array<double, 9> a = coefficients(first, order, std::make_integer_sequence<int, 9>());
    Work<Real> work{.out = out.row(0, 0),
                    .in = in.row(0, 0),
                    .factor = factor != nullptr ? factor->row(0, 0) : nullptr,
                    .stride_2 = in.stride(1),
                    .stride_3 = in.stride(2),
                    .centre = 0,
                    .taps = {},
                    .box = in.inner_region()};
    double centre = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!has_axis(operation, static_cast<int>(axis) + 1)) continue;
        const double scale = first ? 1 / spacings[axis] : 1 / (spacings[axis] * spacings[axis]);
        centre += a[0] * scale;
        for (std::size_t k = 0; k < 8; ++k) work.taps[axis][k] = static_cast<Real>(a[k + 1] * scale);
    }
    work.centre = static_cast<Real>(centre);
    return work;
}

template Work<float> make_work(Operator, int, const std::array<double, 3>&, Grid<float>&, const Grid<float>&,
                               const Grid<float>*);
template Work<double> make_work(Operator, int, const std::array<double, 3>&, Grid<double>&, const Grid<double>&,
                                const Grid<double>*);

Index flops_per_point(Operator operation, int order) {
    const Index m = order / 2;
    if (is_first(operation)) return m == 1 ? 2 : 3 * m;
    const Index second = m == 1 ? 4 : 3 * m + 2;
    if (operation < Operator::laplacian) return second;
    return 3 * second + 2 + (operation == Operator::leapfrog ? 4 : 0);
}

}  // namespace waywiser::stencil
