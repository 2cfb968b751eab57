/// What a user asks of ww-propa.
#pragma once

#include "workloads/stencil/exact.hpp"

#include <span>
#include <string>

namespace waywiser::propa {

struct Settings {
    Index3 points{100, 0, 0};  ///< 0 until read: as many as on the axis before
    Index3 ranks{};            ///< on each axis; 0: free
    Index order = 8;
    std::string precision = "fp32";
    Index steps = 0;         ///< 0 until read: 16, or what `end_time` takes
    double end_time = 0;     ///< 0: by `steps`
    double cfl_ratio = 1;    ///< of the longest stable step
    double dt = 0;           ///< 0 until read: `cfl_ratio` of the longest stable step
    double snapshot_dt = 0;  ///< 0: none; else it is a multiple of dt, and `check_every` is that multiple
    Index check_every = 0;   ///< steps; 0: after the last one
    Index3 modes{};          ///< 0 until read: such that the predicted error is well above round-off
    Index tries = 3;
    std::string boundary = "mirror";
    std::string variant = "auto";
    bool retune = false;
    std::string json;
    bool help = false;

    [[nodiscard]] bool single() const { return precision == "fp32"; }
    [[nodiscard]] bool mirrored() const { return boundary == "mirror"; }
    [[nodiscard]] stencil::Eigenmode eigenmode() const;
};

/// \throws InvalidInput
[[nodiscard]] Settings read_settings(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace waywiser::propa
