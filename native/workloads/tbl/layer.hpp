/// The boundary layer on the lower wall by the distance from the inflow.
#pragma once

#include "workloads/tbl/flow.hpp"

#include <vector>

namespace waywiser::tbl {

/// The layer of velocities averaged across the flow. Thicknesses are relative to the velocity in the uppermost row.
struct Layer {
    std::vector<double> x;             ///< positions of the faces between cells
    std::vector<double> displacement;  ///< thickness
    std::vector<double> momentum;      ///< thickness
    std::vector<double> friction;      ///< coefficient: twice the shear stress on the wall
};

/// Collective.
[[nodiscard]] Layer layer_of(const Flow& flow);

}  // namespace waywiser::tbl
