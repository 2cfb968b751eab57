/// What a user asks of ww-propa.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/kernel_options.hpp"
#include "workloads/stencil/exact.hpp"

#include <span>
#include <string>

namespace waywiser::propa {

struct Settings : KernelSettings {
    Settings() {
        points[0] = 100;
        tries = 3;
    }

    Index steps = 0;         ///< 0 until read: 16, or what `end_time` takes
    double end_time = 0;     ///< 0: by `steps`
    double cfl_ratio = 1;    ///< of the longest stable step
    double dt = 0;           ///< 0 until read: `cfl_ratio` of the longest stable step
    double snapshot_dt = 0;  ///< 0: none; else it is a multiple of dt, and `check_every` is that multiple
    Index check_every = 0;   ///< steps; 0: after the last one
    Index3 modes{};          ///< 0 until read: such that the predicted error is well above round-off
    std::string boundary = "mirror";

    [[nodiscard]] bool mirrored() const { return boundary == "mirror"; }
    /// Where P = 0.
    [[nodiscard]] std::span<const SurfaceFace> mirrored_faces() const;
    [[nodiscard]] stencil::Eigenmode eigenmode() const;
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::propa
