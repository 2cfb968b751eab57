/// The kernels of one precision, compiled for each instruction set.
#pragma once

#include "workloads/common/x86_levels.hpp"
#include "workloads/rupture/fault_loops.hpp"
#include "workloads/rupture/loops.hpp"

#include <utility>

namespace waywiser::rupture {

struct Predict {
    template <int order, class Real, int bytes>
    [[gnu::always_inline]] static void run(const Work<Real>& work) {
        Loops<order, Real, bytes>::predict(work);
    }
};

struct Correct {
    template <int order, class Real, int bytes>
    [[gnu::always_inline]] static void run(const Work<Real>& work) {
        Loops<order, Real, bytes>::correct(work);
    }
};

struct Slide {
    template <int order, class Real, int bytes>
    [[gnu::always_inline]] static void run(const FaultWork<Real>& work) {
        FaultLoops<order, Real, bytes>::run(work);
    }
};

template <class Does, int order, class Real, class Task>
void for_any(const Task& work) {
    Does::template run<order, Real, 16>(work);
}

#if WAYWISER_HAS_LEVELS
template <class Does, int order, class Real, class Task>
[[gnu::target("arch=x86-64-v3")]] void for_level_3(const Task& work) {
    Does::template run<order, Real, 32>(work);
}

template <class Does, int order, class Real, class Task>
[[gnu::target("arch=x86-64-v4")]] void for_level_4(const Task& work) {
    Does::template run<order, Real, 64>(work);
}
#endif

template <class Task>
using Kernel = void (*)(const Task&);

template <class Does, int order, class Real, class Task>
Kernel<Task> for_this_cpu() {
#if WAYWISER_HAS_LEVELS
    if (register_bytes() == 64) return for_level_4<Does, order, Real, Task>;
    if (register_bytes() == 32) return for_level_3<Does, order, Real, Task>;
#endif
    return for_any<Does, order, Real, Task>;
}

template <class Does, class Real, class Task>
Kernel<Task> of_order(int order) {
    Kernel<Task> kernel = nullptr;
    [&]<int... k>(std::integer_sequence<int, k...>) {
        ((order == k + 2 ? void(kernel = for_this_cpu<Does, k + 2, Real, Task>()) : void()), ...);
    }(std::make_integer_sequence<int, 5>());
    return kernel;
}

}  // namespace waywiser::rupture
