#include "place/methods.hpp"

#include <numeric>

namespace waywiser::place {

Order default_order(const Pattern& pattern, const Slots& /*slots*/, const Options& /*options*/) {
    Order order(pattern.ranks());
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

const std::vector<Method>& methods() {
    static const std::vector<Method> table{
        {"default", "rank r on slot r", default_order},
        {"multisection", "ranks and machine cut in two together, down to single nodes", multisection_order},
        {"stencil", "a Cartesian grid found in the matrix, in tiles folded onto the machine", stencil_order},
        {"scotch", "the Scotch library, where it is installed (CeCILL-C)", scotch_order, true},
    };
    return table;
}

}  // namespace waywiser::place
