#include "workloads/rupture/dispatch.hpp"

namespace waywiser::rupture {

template <>
Kernels<float> find_kernels(int order) {
    return {of_order<Predict, float, Work<float>>(order), of_order<Correct, float, Work<float>>(order)};
}

template <>
FrictionKernel<float> find_friction(int order) {
    return of_order<Slide, float, FaultWork<float>>(order);
}

}  // namespace waywiser::rupture
