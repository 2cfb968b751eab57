// Operations of conjugate gradients on whole fields, in registers.
#include "workloads/lattice/kernels.hpp"

#include <cmath>

namespace waywiser::lattice {
namespace {

template <int bytes>
struct FieldLoops {
    static constexpr Index width = bytes / static_cast<Index>(sizeof(double));
    typedef double Vector [[gnu::vector_size(bytes), gnu::may_alias]];

    [[gnu::always_inline]] static const Vector& at(const double* p) { return *reinterpret_cast<const Vector*>(p); }
    [[gnu::always_inline]] static Vector& at(double* p) { return *reinterpret_cast<Vector*>(p); }

    /// Adds the rounded values of sites to `sums`.
    [[gnu::always_inline]] static void add(Vector& sums, const Vector& values, const Vector& rounding) {
        sums += (values + rounding) - rounding;
    }

    [[gnu::always_inline]] static double total(const Vector& sums) {
        alignas(bytes) double values[width];
        at(values) = sums;
        double sum = 0;
        for (const double value : values) sum += value;
        return sum;
    }

    [[gnu::always_inline]] static void dot(const DotWork& work) {
        const Vector rounding = work.rounding - Vector{};
        Vector sums{};
        for (Index block = 0; block < work.blocks; ++block) {
            const Index first = block * spinor_values * width;
            Vector site{};
            for (Index i = 0; i < spinor_values; ++i) {
                site += at(work.a + first + i * width) * at(work.b + first + i * width);
            }
            add(sums, site, rounding);
        }
        *work.sum = total(sums);
    }

    [[gnu::always_inline]] static void update(const UpdateWork& work) {
        const Vector rounding = work.rounding - Vector{};
        const Vector step = work.step - Vector{};
        Vector sums{};
        for (Index block = 0; block < work.blocks; ++block) {
            const Index first = block * spinor_values * width;
            Vector site{};
            for (Index i = first; i < first + spinor_values * width; i += width) {
                at(work.x + i) += step * at(work.p + i);
                const Vector r = at(work.r + i) - step * at(work.q + i);
                at(work.r + i) = r;
                site += r * r;
            }
            add(sums, site, rounding);
        }
        *work.sum = total(sums);
    }

    [[gnu::always_inline]] static void turn(const TurnWork& work) {
        const Vector factor = work.factor - Vector{};
        for (Index i = 0; i < work.blocks * spinor_values * width; i += width) {
            at(work.p + i) = at(work.r + i) + factor * at(work.p + i);
        }
    }
};

/// `wide` is true for all lanes of a register, and false for one lane.
template <bool wide>
struct Dot {
    template <int bytes>
    [[gnu::always_inline]] static void run(const DotWork& work) {
        FieldLoops<wide ? bytes : 8>::dot(work);
    }
};
template <bool wide>
struct Update {
    template <int bytes>
    [[gnu::always_inline]] static void run(const UpdateWork& work) {
        FieldLoops<wide ? bytes : 8>::update(work);
    }
};
template <bool wide>
struct Turn {
    template <int bytes>
    [[gnu::always_inline]] static void run(const TurnWork& work) {
        FieldLoops<wide ? bytes : 8>::turn(work);
    }
};

template <bool wide>
FieldKernels field_kernels_of() {
    return {for_this_cpu<Dot<wide>, DotWork>(), for_this_cpu<Update<wide>, UpdateWork>(),
            for_this_cpu<Turn<wide>, TurnWork>()};
}

}  // namespace

FieldKernels field_kernels(int lanes) { return lanes == 1 ? field_kernels_of<false>() : field_kernels_of<true>(); }

double rounding_for(double bound) {
    int exponent = 0;
    std::frexp(bound, &exponent);
    return std::ldexp(1.5, exponent + 1);
}

}  // namespace waywiser::lattice
