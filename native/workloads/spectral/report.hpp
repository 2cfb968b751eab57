/// What ww-spectral leaves: lines for people and JSON objects.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/spectral/pattern.hpp"
#include "workloads/spectral/vorticity.hpp"

#include <string>
#include <string_view>

namespace waywiser::spectral {

/// What all phases of a run share.
struct Run {
    const Settings* settings;
    const Layout* layout;
    std::string blas;
    int threads;
    MachineLimits limits;
    double dgemm_flops_per_s;  ///< of all ranks, by the same library
    double orthonormality;
};

/// Round trips, or steps of the vorticity equation.
struct Measured {
    const Run* run;
    std::string_view exchange;
    bool is_round_trip;
    Tries tries;
    Sections sections;      ///< of the slowest rank, all tries together
    double legendre_flops;  ///< of all ranks, in one try
    double error;           ///< of a round trip
    WaveErrors wave;
    std::uint64_t checksum;
    std::vector<double> probes;
};

[[nodiscard]] std::string heading(const Run& run);

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);
/// What follows a row.
[[nodiscard]] std::string remarks(const Measured& measured);

}  // namespace waywiser::spectral
