#include "workloads/stencil/dispatch.hpp"

namespace waywiser::stencil {

template <>
Kernel<double> find_plain(Operator operation, int order) {
    return find_kernel_in<Plain, double>(operation, order);
}

}  // namespace waywiser::stencil
