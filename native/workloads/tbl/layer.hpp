/// Thickness and friction of the boundary layer on the lower wall, by distance from the inflow.
#pragma once

#include "workloads/tbl/flow.hpp"

#include <vector>

namespace waywiser::tbl {

/// Quantities of the velocity averaged over axis 3. Thicknesses are based on the velocity in the uppermost row.
struct Layer {
    std::vector<double> x;             ///< positions of the faces between cells
    std::vector<double> displacement;  ///< thickness
    std::vector<double> momentum;      ///< thickness
    std::vector<double> friction;      ///< friction coefficient: twice the wall shear stress
};

/// Collective.
[[nodiscard]] Layer layer_of(const Flow& flow);

}  // namespace waywiser::tbl
