/// What is seen of a cell while it steps.
#pragma once

#include "workloads/rupture/kernels.hpp"

#include <functional>

namespace waywiser::rupture {

/// The Taylor expansion in time of a cell's solution over one of its steps: the scheme's prediction.
template <class Real>
struct Expansion {
    std::int32_t cell;
    int order;
    double begin_s;
    double dt;
    const Real* derivatives;  ///< order x functions x 9 x lanes, from this cell's lane on

    /// Coefficient of a quantity.
    /// \param since_s  the begin of the step, 0 to dt
    [[nodiscard]] double at(int function, int quantity, double since_s) const {
        double sum = 0;
        double factor = 1;
        for (int i = 0; i < order; ++i) {
            const int entry = (i * cell_functions(order) + function) * quantities + quantity;
            sum += factor * static_cast<double>(derivatives[entry * lanes<Real>]);
            factor *= since_s / (i + 1);
        }
        return sum;
    }
};

template <class Real>
using Observer = std::function<void(const Expansion<Real>&)>;

}  // namespace waywiser::rupture
