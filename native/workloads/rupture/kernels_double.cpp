#include "workloads/rupture/dispatch.hpp"

namespace waywiser::rupture {

template <>
Kernels<double> find_kernels(int order) {
    return {of_order<Predict, double, Work<double>>(order), of_order<Correct, double, Work<double>>(order)};
}

template <>
FrictionKernel<double> find_friction(int order) {
    return of_order<Slide, double, FaultWork<double>>(order);
}

}  // namespace waywiser::rupture
