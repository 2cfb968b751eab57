#include "workloads/lattice/hop_loops.hpp"
#include "workloads/lattice/vector_loops.hpp"

#include <cmath>

namespace waywiser::lattice {
namespace {

struct Hop {
    template <int bytes>
    [[gnu::always_inline]] static void run(const HopWork& work) {
        HopLoops<bytes>::run(work);
    }
};
struct Pack {
    template <int bytes>
    [[gnu::always_inline]] static void run(const PackWork& work) {
        HopLoops<bytes>::pack(work);
    }
};

/// `wide`: with all lanes of a register, else with one.
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

int most_lanes() { return register_bytes() / static_cast<int>(sizeof(double)); }

HopKernels vector_hop() { return {for_this_cpu<Hop, HopWork>(), for_this_cpu<Pack, PackWork>()}; }

FieldKernels field_kernels(int lanes) { return lanes == 1 ? field_kernels_of<false>() : field_kernels_of<true>(); }

double rounding_for(double bound) {
    int exponent = 0;
    std::frexp(bound, &exponent);
    return std::ldexp(1.5, exponent + 1);
}

}  // namespace waywiser::lattice
