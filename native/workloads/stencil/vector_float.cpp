#include "workloads/stencil/dispatch.hpp"

namespace waywiser::stencil {

template <>
Kernel<float> find_vector(Operator operation, int order) {
    return find_kernel_in<Vectors, float>(operation, order);
}

}  // namespace waywiser::stencil
