/// Settings of ww-rupture.
#pragma once

#include "workloads/common/options.hpp"

#include <cstdint>
#include <string>

namespace waywiser::rupture {

struct Settings {
    std::string name = "planewave";
    std::int64_t order = 4;
    std::string precision = "fp64";
    std::int64_t cells = 0;  ///< cubes along a closed form's box; 0 until `complete` sets them
    /// variation of this box: distances between lines vary from 1 - stretch to 1 + stretch times their mean
    double stretch = 0;
    double spacing_m = 500;  ///< spacing of the cubes at the fault
    double growth = 1.4;     ///< growth between neighbouring cubes away from the fault
    double reach_m = 50e3;   ///< half width of the box around a fault
    std::string mesh;        ///< mesh file that replaces the box
    double end_s = 0;        ///< 0: end time of the case
    double cfl = 0.5;
    std::string lts = "rate-2";
    bool comm_thread = false;
    double every_s = 0.5;  ///< interval between energies [s]
    std::string fault_csv;
    std::string energies_csv;
    std::string receivers;  ///< file of points, which are recorded in the file `traces`
    std::string traces;
    std::string fault_receivers;  ///< file of points on the fault, which are recorded in the file `fault_traces`
    std::string fault_traces;
    double sample_every_s = 0.005;
    std::string snapshots;
    double snapshots_every_s = 0;  ///< 0: as every_s
    std::string checkpoint;
    double checkpoint_every_s = 0;
    std::string restart;
    std::string json;

    [[nodiscard]] bool single() const { return precision == "fp32"; }
    [[nodiscard]] bool local() const { return lts == "rate-2"; }
    /// Name of the fault's map, which is written beside `fault_csv`; empty if `fault_csv` is empty.
    [[nodiscard]] std::string fault_map() const;
    [[nodiscard]] bool rupture() const { return name == "tpv5" || name == "tpv33"; }
};

[[nodiscard]] Options options_of(Settings& settings);

/// Sets the missing number of cells, and checks combinations of settings.
/// \throws InvalidInput  if settings exclude each other
void complete(Settings& settings);

}  // namespace waywiser::rupture
