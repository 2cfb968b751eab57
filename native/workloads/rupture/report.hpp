/// The results of a run of ww-rupture, as text and as a sample.
#pragma once

#include "workloads/common/sample.hpp"
#include "workloads/rupture/settings.hpp"
#include "workloads/rupture/solver.hpp"

#include <string>
#include <vector>

namespace waywiser::rupture {

/// The point of the fault nearest to a station.
struct Arrival {
    Point station;
    double distance_m;
    double rupture_time_s;  ///< negative: not ruptured
    double slip_m;
    double peak_rate_mps;
};

struct Run {
    Settings settings;
    int ranks;
    std::int64_t cells;
    std::int64_t fault_faces;
    std::vector<std::int64_t> clusters;  ///< cells in each cluster, from the shortest step on
    std::int64_t steps;                  ///< steps of the first cluster
    double dt;                           ///< step of the first cluster [s]
    double end_s;
    double seconds;    ///< duration of all steps on the slowest rank
    PhaseTimes times;  ///< maximum of each phase over all ranks
    double flops_per_update;
    double bytes_per_update;  ///< least traffic to and from memory
    double bytes_per_cell;    ///< memory per cell
    std::int64_t exchanged_bytes;
    double peak_flops_per_s;  ///< peak of all threads of all ranks
    double error = 0;         ///< error relative to an exact solution
    double coarse_error = 0;  ///< `error` on half as many cubes
    std::vector<Energies> energies;
    std::vector<Arrival> arrivals;
    std::vector<double> snapshots_s;  ///< times of the snapshots
    double restarted_s = 0;           ///< time of the checkpoint from which the run continued

    [[nodiscard]] std::int64_t updates() const;
    /// Number of updates if all cells took the first cluster's step, divided by the number of updates that are made.
    [[nodiscard]] double possible_gain() const;
    /// Observed order of convergence: the power of the cells' size with which the error falls.
    [[nodiscard]] double observed_order() const;
    /// Reason why the run is not verified, in one sentence; empty if the run is verified.
    [[nodiscard]] std::string failure() const;
};

inline constexpr Column energy_columns[] = {
    {"time s", "%8.3f", "time_s", "simulated time; this table and the next are those of a rupture"},
    {"elastic J", "%13.4e", "elastic_J", "energy of the strain"},
    {"kinetic J", "%13.4e", "kinetic_J", "energy of the motion"},
    {"work J", "%13.4e", "work_J", "work of the fault so far, which is the energy input"},
    {"predicted J", "%13.4e", "predicted_work_J", "frictional work as SeisSol computes it"},
    {"moment N m", "%13.4e", "moment_Nm", "seismic moment so far"},
};
inline constexpr Column arrival_columns[] = {
    {"x km", "%10.2f", "x_m", "place of a station along the fault", 1e-3},
    {"depth km", "%10.2f", "depth_m", "depth of the station", 1e-3},
    {"arrival s", "%12.3f", "rupture_time_s", "time at which the rupture arrives"},
    {"slip m", "%9.3f", "slip_m", "slip at the end"},
    {"peak rate m/s", "%14.3f", "peak_rate_mps", "greatest slip rate"},
};

[[nodiscard]] std::string summary(const Run& run);
[[nodiscard]] Sample sample(const Run& run);
/// \throws InvalidInput  if a file cannot be written
void write_energies(const Run& run);
void write_fault(const std::string& path, const std::vector<FaultPoint>& points);

}  // namespace waywiser::rupture
