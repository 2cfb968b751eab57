/// Settings of ww-propa.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/kernel_options.hpp"
#include "workloads/stencil/exact.hpp"

#include <span>
#include <string>

namespace waywiser::propa {

/// Settings of the modelling case; texts as given.
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

    Index steps = 0;         ///< 0 until read: 16, or what `end_time` takes
    double end_time = 0;     ///< 0: by `steps`
    double cfl_ratio = 0;    ///< share of the longest stable step; 0 until options are read: 1, or 0.5 in modelling
    double dt = 0;           ///< 0 until read: `cfl_ratio` of the longest stable step
    double snapshot_dt = 0;  ///< 0: none; else it is a multiple of dt, and `check_every` is that multiple
    Index check_every = 0;   ///< steps; 0: after the last one
    Index3 modes{};          ///< 0 until read: such that the predicted error is well above round-off
    std::string boundary;    ///< empty until read: mirror, or absorbing in modelling

    [[nodiscard]] bool models() const { return !modelling.source.empty(); }
    [[nodiscard]] bool mirrored() const { return boundary == "mirror"; }
    /// Faces where P = 0.
    [[nodiscard]] std::span<const SurfaceFace> mirrored_faces() const;
    /// Faces where waves are absorbed.
    [[nodiscard]] std::span<const SurfaceFace> absorbing_faces() const;
    [[nodiscard]] stencil::Eigenmode eigenmode() const;
};

/// Sets the step and the number of steps; for modelling, once its velocities are known.
/// \throws InvalidInput  if the step is too long, or the steps are too many
void set_time(Settings& settings, double longest_stable_dt);

[[nodiscard]] Options options_of(Settings& settings);

/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::propa
