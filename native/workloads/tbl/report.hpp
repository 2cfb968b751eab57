/// Output of ww-tbl: text lines and a JSON object.
#pragma once

#include "workloads/common/sample.hpp"
#include "workloads/common/sections.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/tbl/budget.hpp"
#include "workloads/tbl/layer.hpp"
#include "workloads/tbl/layout.hpp"
#include "workloads/tbl/recycling.hpp"
#include "workloads/tbl/settings.hpp"
#include "workloads/tbl/statistics.hpp"

#include <string>

namespace waywiser::tbl {

/// Times of all steps, on the slowest rank [s].
struct Sections {
    double velocity_solver = 0;
    double pressure_solver = 0;
    double update = 0;
    double others = 0;
};

inline constexpr Section<Sections> section_table[] = {
    {"velocity_solver", "velocity solver", &Sections::velocity_solver},
    {"pressure_solver", "pressure solver", &Sections::pressure_solver},
    {"update", "update of velocity and pressure", &Sections::update},
    {"others", "others", &Sections::others}};

struct Growth {
    double rate = 0;
    double expected = 0;  ///< growth rate by the differential equations
};

/// Averages and quantities derived from them.
struct Averages {
    Profiles profiles;
    double friction_velocity;
    double stress_residual;
};

struct Measured {
    const Settings* settings;
    std::array<Index, 2> ranks;
    Tries steps;
    Sections sections;
    double divergence = 0;  ///< greatest after any step
    double momentum_residual = 0;
    double kinetic_energy_at_start = 0;
    EnergyBudget energy;  ///< energy at the end
    double bulk_velocity = 0;
    double shear_bottom = 0, shear_top = 0;
    std::optional<double> error = {};       ///< greatest difference from the exact solution of the discrete equations
    std::optional<Growth> growth = {};      ///< growth of a wave
    std::optional<Layer> layer = {};        ///< layer of a flow with open ends
    std::optional<double> laminar = {};     ///< greatest difference from the differential equations' solution
    std::optional<Entering> entering = {};  ///< profile of a recycled inflow
    std::optional<Averages> averages = {};
};

inline constexpr Column columns[] = {
    {"case", "%-15s", "phase", "see --case"},
    {"variant", "%-11s", "variant", "pressure solver among ranks"},
    median_s,
    min_s,
    max_s,
    {"ns/point", "%11.2f", "ns_per_point", "nanoseconds per step and point"},
    {"divergence", "%11.2e", "divergence", "greatest after any step"},
    {"error", "%11.2e", "error_or_laminar", "greatest difference of velocity from the exact or laminar flow"},
};

[[nodiscard]] std::string description(const Settings& settings, const std::array<Index, 2>& ranks);
[[nodiscard]] JsonObject statistics(const Averages& averages);
[[nodiscard]] Sample sample(const Measured& measured);
/// The text after the row: sections, and the final flow.
[[nodiscard]] std::string remarks(const Measured& measured);

}  // namespace waywiser::tbl
