/// Output of ww-spectral: text lines and JSON objects.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/spectral/pattern.hpp"
#include "workloads/spectral/shallow_water.hpp"
#include "workloads/spectral/vorticity.hpp"

#include <string>
#include <string_view>

namespace waywiser::spectral {

/// Data that all phases of a run share.
struct Run {
    const Settings* settings;
    const Layout* layout;
    std::string blas;  ///< empty: no BLAS library
    MachineLimits limits;
    double dgemm_flops_per_s;  ///< rate of dgemm on all ranks
    double orthonormality;
};

enum class Phase { round_trip, vorticity, triad, steady, gravity_wave, unsteady };

/// Results of one phase: round trips or steps.
struct Measured {
    const Run* run;
    std::string_view exchange;
    Phase phase;
    Tries tries;
    double legendre_s;      ///< median time of the Legendre transforms in a try
    Sections sections;      ///< times of the slowest rank, for all tries together
    double legendre_flops;  ///< flops of all ranks in one try
    std::uint64_t checksum;
    double error = 0;        ///< error of a round trip
    WaveErrors wave = {};    ///< errors of a wave of the vorticity equation
    Drift drift = {};        ///< errors of a triad of the vorticity equation
    WaterErrors water = {};  ///< errors of the shallow-water equations
    std::vector<double> probes = {};
};

inline constexpr Column report_columns[] = {
    {"phase", "%-12s", "phase", "transform or time step"},
    {"exchange", "%-10s", "variant", "method of the transposition"},
    median_s,
    min_s,
    max_s,
    {"Mpoint/s", "%10.3f", "points/s", "millions of points and levels", 1e-6},
    {"GFLOP/s", "%9.2f", "flops/s", "operations of Legendre and Fourier transforms", 1e-9},
    {"of dgemm", "%9s", "of_dgemm", "rate of the Legendre transforms as a share of dgemm's"},
    {"error", "%10.2e", "error", "greatest, from the exact solution"},
};

[[nodiscard]] std::string description(const Run& run);

[[nodiscard]] Sample sample(const Measured& measured);
/// Notes below a row of the table.
[[nodiscard]] std::string remarks(const Measured& measured);

}  // namespace waywiser::spectral
