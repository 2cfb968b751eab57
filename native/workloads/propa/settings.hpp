/// Settings of ww-propa.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/kernel_options.hpp"
#include "workloads/stencil/exact.hpp"

#include <span>
#include <string>

namespace waywiser::propa {

/// Settings of the modelling case, with texts as the user gave them.
struct Modelling {
    std::string source;          ///< empty: no modelling
    double frequency_Hz = 0;     ///< peak frequency of a Ricker wavelet
    std::string spacing = "10";  ///< [m], of all axes or of each
    double velocity_m_s = 1500;
    std::string velocity_file;  ///< replaces `velocity_m_s`
    std::string receivers;
    std::string traces;
    std::string snapshots;
    Index layer = 20;  ///< points of the absorbing boundary
    bool free_surface = false;
};

struct Settings : KernelSettings {
    Settings() {
        points[0] = 100;
        tries = 0;
    }

    Modelling modelling;

    Index steps = 0;         ///< 0: 16, or the number of steps to `end_time`
    double end_time = 0;     ///< 0: `steps` determines the end
    double cfl_ratio = 0;    ///< fraction of the longest stable step; 0: 1, or 0.5 in modelling
    double dt = 0;           ///< 0: `cfl_ratio` times the longest stable step
    double snapshot_dt = 0;  ///< 0: none; otherwise `check_every` times dt
    Index check_every = 0;   ///< steps between checks; 0: only after the last step
    Index3 modes{};          ///< 0: chosen so that the predicted error is well above round-off
    std::string boundary;    ///< empty: mirror, or absorbing in modelling

    [[nodiscard]] bool models() const { return !modelling.source.empty(); }
    [[nodiscard]] bool mirrored() const { return boundary == "mirror"; }
    /// Faces where P = 0.
    [[nodiscard]] std::span<const SurfaceFace> mirrored_faces() const;
    /// Faces where waves are absorbed.
    [[nodiscard]] std::span<const SurfaceFace> absorbing_faces() const;
    [[nodiscard]] stencil::Eigenmode eigenmode() const;
};

/// Sets the time step and the number of steps. For modelling, the velocities must be known.
/// \throws InvalidInput  if the step is too long, or the steps are too many
void set_time(Settings& settings, double longest_stable_dt);

[[nodiscard]] Options options_of(Settings& settings);

/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::propa
