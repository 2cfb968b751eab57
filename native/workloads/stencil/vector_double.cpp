#include "workloads/stencil/dispatch.hpp"

namespace waywiser::stencil {

template <>
Kernel<double> find_vector(Operator operation, int order) {
    return find_kernel_in<Vectors, double>(operation, order);
}

}  // namespace waywiser::stencil
