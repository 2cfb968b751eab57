#include "workloads/propa/settings.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace waywiser::propa {
namespace {

constexpr Index most_modes = 1'000'000;
constexpr Index default_steps = 16;

void add_modelling(Options& options, Modelling& m) {
    options.add_text("source", m.source, "a position in metres, as x1,x2,x3",
                     "position of the Ricker wavelet's source, for modelling; the nearest grid point is used");
    options.add_real("frequency", m.frequency_Hz, 1e-6, 1e9, "dominant frequency of the wavelet [Hz]");
    options.add_text("spacing", m.spacing, "metres, as 10 or 10,10,5", "distance between points; default 10");
    options.add_real("velocity", m.velocity_m_s, 1e-3, 1e6, "velocity of a homogeneous medium [m/s]; default 1500");
    options.add_text("velocity-file", m.velocity_file, "the name of a .npy file",
                     "velocities [m/s], an array of shape (n3, n2, n1), which sets --n1 to --n3");
    options.add_text("receivers", m.receivers, "FROM:TO:COUNT with positions in metres, or the name of a file",
                     "a line of receivers, or a file with a position x1,x2,x3 in each line");
    options.add_text("traces", m.traces, "the name of a .npy file",
                     "file for the receivers' records: an array of shape (receivers, steps)");
    options.add_text("snapshots", m.snapshots, "the name of a .npy file",
                     "fields at regular steps: an array of shape (snapshots, n3, n2, n1)");
    options.add_count("layer", m.layer, 1, 1000, "points of the absorbing boundary at each face; default 20");
    options.add_flag("free-surface", m.free_surface, "P = 0 where x1 is 0, in place of the absorbing boundary there");
}

void set_boundary(Settings& s) {
    if (s.boundary.empty()) s.boundary = s.models() ? "absorbing" : "mirror";
    const bool known = s.boundary == "mirror" || s.boundary == "none" || (s.models() && s.boundary == "absorbing");
    require(known, "--boundary '" + s.boundary + "': expected mirror or none" +
                       (s.models() ? ", or absorbing" : "; with --source it takes absorbing, too"));
}

/// Rejects options that would have no effect.
void require_consistent(const Settings& s) {
    require(s.steps == 0 || s.end_time == 0, "--steps and --tmax are mutually exclusive");
    require(s.dt == 0 || s.cfl_ratio == 0, "--dt and --cfl are mutually exclusive");
    require(s.check_every == 0 || s.snapshot_dt == 0, "--check-every and --snapshot-dt are mutually exclusive");
    const Modelling& m = s.modelling;
    if (s.models()) {
        require(m.frequency_Hz > 0, "--source requires --frequency, the wavelet's in Hz");
        require(s.steps > 0 || s.end_time > 0, "--source requires --steps or --tmax");
        require(m.traces.empty() || !m.receivers.empty(), "--traces requires --receivers, which record them");
        require(s.modes == Index3{},
                "--source and the eigenmode's --mode1, --mode2 and --mode3 are mutually exclusive");
        return;
    }
    const Modelling none;
    for (const auto& [option, is_set] :
         std::initializer_list<std::pair<const char*, bool>>{{"--frequency", m.frequency_Hz != 0},
                                                             {"--spacing", m.spacing != none.spacing},
                                                             {"--velocity", m.velocity_m_s != none.velocity_m_s},
                                                             {"--velocity-file", !m.velocity_file.empty()},
                                                             {"--receivers", !m.receivers.empty()},
                                                             {"--traces", !m.traces.empty()},
                                                             {"--snapshots", !m.snapshots.empty()},
                                                             {"--layer", m.layer != none.layer},
                                                             {"--free-surface", m.free_surface}}) {
        require(!is_set, std::string(option) + " requires --source");
    }
}

}  // namespace

void set_time(Settings& s, double longest_stable_dt) {
    require(s.dt <= longest_stable_dt, "--dt " + std::to_string(s.dt) + ": expected at most " +
                                           std::to_string(longest_stable_dt) +
                                           ", beyond which the field grows without bound");
    if (s.dt == 0) s.dt = s.cfl_ratio * longest_stable_dt;
    if (s.snapshot_dt != 0) {
        const double parts = std::ceil(s.snapshot_dt / s.dt * (1 - 1e-12));
        s.dt = s.snapshot_dt / parts;
        s.check_every = static_cast<Index>(parts);
    }
    if (s.end_time != 0) {
        require(s.end_time / s.dt < 1e9, "--tmax takes more than 10^9 steps: give an earlier time");
        s.steps = static_cast<Index>(s.end_time / s.dt) + 1;
    }
    if (s.steps == 0) s.steps = default_steps;
}

namespace {

/// Chooses the longest waves with a predicted error of at least 0.2 %, far above round-off, and with a final field that
/// is not close to zero. Wave numbers differ by axis, so that swapped axes are detected.
void set_modes(Settings& s) {
    if (s.modes[0] != 0 || s.modes[1] != 0 || s.modes[2] != 0) {
        for (Index& mode : s.modes) mode = std::max<Index>(mode, 1);
        return;
    }
    const Index shortest = std::ranges::min(s.points);
    double best = 0;
    for (Index n = 1; n <= std::max<Index>(1, shortest / 6); ++n) {
        Settings candidate = s;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            candidate.modes[axis] =
                std::clamp<Index>(n + static_cast<Index>(axis), 1, std::max<Index>(1, s.points[axis] / 4));
        }
        const stencil::Eigenmode mode = candidate.eigenmode();
        if (n > 1 && std::abs(mode.amplitude(s.steps - 1)) < 0.5) continue;
        const double error = mode.relative_error(s.steps, s.check_every);
        if (error <= best) continue;
        best = error;
        s.modes = candidate.modes;
        if (error >= 2e-3) return;
    }
}

}  // namespace

// The face of the free surface, x1 = 0, is the first of all faces.
std::span<const SurfaceFace> Settings::mirrored_faces() const {
    return std::span(all_faces).first(mirrored() ? all_faces.size() : modelling.free_surface ? 1 : 0);
}

std::span<const SurfaceFace> Settings::absorbing_faces() const {
    if (boundary != "absorbing") return {};
    return std::span(all_faces).subspan(modelling.free_surface ? 1 : 0);
}

stencil::Eigenmode Settings::eigenmode() const {
    return {.modes = {static_cast<double>(modes[0]), static_cast<double>(modes[1]), static_cast<double>(modes[2])},
            .points = points,
            .order = static_cast<int>(order),
            .dt = dt};
}

Options options_of(Settings& s) {
    Options options(
        "ww-propa",
        "acoustic waves by finite differences, after hpcscan's test case Propa.\n"
        "Propagates an eigenmode of the unit cube, second order in time, and checks it against the exact one; or, with "
        "--source, models the records of receivers.");
    add_points(options, s, 3, "points of the whole grid on axis 1");
    add_cut(options, s, "the least to exchange");
    add_order(options, s);
    options.add_count("steps", s.steps, 1, 1'000'000'000, "time steps; default 16; required for modelling");
    options.add_real("tmax", s.end_time, 1e-12, 1e12, "propagate to this time instead of --steps");
    options.add_real("cfl", s.cfl_ratio, 1e-6, 1,
                     "time step as a fraction of the longest stable step; default 1, or 0.5 in modelling");
    options.add_real("dt", s.dt, 1e-12, 1e12, "time step instead of --cfl");
    options.add_real("snapshot-dt", s.snapshot_dt, 1e-12, 1e12,
                     "shorten the step to divide this time, and check or write a snapshot at each multiple");
    options.add_count("check-every", s.check_every, 1, 1'000'000'000,
                      "steps between checks, or snapshots; default: after the last");
    options.add_count("mode1", s.modes[0], 1, most_modes, "half waves on axis 1; default: see the documentation");
    options.add_count("mode2", s.modes[1], 1, most_modes, "half waves on axis 2");
    options.add_count("mode3", s.modes[2], 1, most_modes, "half waves on axis 3");
    options.add_text("boundary", s.boundary, "mirror, none, or in modelling absorbing",
                     "mirror: P = 0 on the surface; none: no condition there, and only points beyond its "
                     "influence are checked; default mirror, in modelling absorbing");
    add_modelling(options, s.modelling);
    add_variants(options, s, "baseline, split, blocked, temporal", "form of the time steps");
    add_block(options, s);
    add_running(options, s, "propagations of each, all from the start; default 3, in modelling 1");
    return options;
}

void complete(Settings& s) {
    waywiser::complete(s);
    set_boundary(s);
    require_consistent(s);
    if (s.tries == 0) s.tries = s.models() ? 1 : 3;
    if (s.cfl_ratio == 0) s.cfl_ratio = s.models() ? 0.5 : 1;
    for (const Index n : s.points) {
        require(!s.mirrored() || n > s.order / 2, "order " + std::to_string(s.order) + " needs more than " +
                                                      std::to_string(s.order / 2) + " points on each axis, not " +
                                                      std::to_string(n));
    }
    if (s.models()) return;
    set_time(s, stencil::longest_stable_step(s.points, static_cast<int>(s.order)));
    set_modes(s);
    stencil::require_visible_waves(s.points, s.eigenmode().modes);
}

}  // namespace waywiser::propa
