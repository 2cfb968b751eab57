/// The boundary layer on the lower wall by the distance from the inflow.
#pragma once

#include "workloads/tbl/flow.hpp"

#include <vector>

namespace waywiser::tbl {

/// Of means across, in units of the velocity 1 far from the wall.
struct Layer {
    std::vector<double> x;             ///< of the faces between cells
    std::vector<double> displacement;  ///< thickness
    std::vector<double> momentum;      ///< thickness
    std::vector<double> friction;      ///< coefficient: twice the shear stress on the wall
};

/// Collective.
[[nodiscard]] Layer layer_of(const Flow& flow);

}  // namespace waywiser::tbl
