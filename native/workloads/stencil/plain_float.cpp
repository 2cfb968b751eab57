#include "workloads/stencil/dispatch.hpp"

namespace waywiser::stencil {

template <>
Kernel<float> find_plain(Operator operation, int order) {
    return find_kernel_in<Plain, float>(operation, order);
}

}  // namespace waywiser::stencil
