/// What ww-spectral leaves: lines for people and JSON objects.
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

/// What all phases of a run share.
struct Run {
    const Settings* settings;
    const Layout* layout;
    std::string blas;  ///< empty: there is none
    MachineLimits limits;
    double dgemm_flops_per_s;  ///< of all ranks, by that library
    double orthonormality;
};

enum class Phase { round_trip, vorticity, steady, gravity_wave, unsteady };

/// Round trips, or steps.
struct Measured {
    const Run* run;
    std::string_view exchange;
    Phase phase;
    Tries tries;
    double legendre_s;      ///< of a try's Legendre transforms
    Sections sections;      ///< of the slowest rank, all tries together
    double legendre_flops;  ///< of all ranks, in one try
    std::uint64_t checksum;
    double error = 0;        ///< of a round trip
    WaveErrors wave = {};    ///< of the vorticity equation
    WaterErrors water = {};  ///< of shallow water
    std::vector<double> probes = {};
};

[[nodiscard]] std::string heading(const Run& run);

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);
/// What follows a row.
[[nodiscard]] std::string remarks(const Measured& measured);

}  // namespace waywiser::spectral
