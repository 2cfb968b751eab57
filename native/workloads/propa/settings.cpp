#include "workloads/propa/settings.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::propa {
namespace {

constexpr Index most_modes = 1'000'000;
constexpr Index default_steps = 16;

Options table(Settings& s) {
    Options options(
        "ww-propa",
        "acoustic waves by finite differences, after hpcscan's test case Propa.\n"
        "Propagates an eigenmode of the unit cube, second order in time, and checks it against the exact one.");
    add_points(options, s, 3, "points of the whole grid on axis 1");
    add_cut(options, s, "the least to exchange");
    add_order(options, s);
    options.add_count("steps", s.steps, 1, 1'000'000'000, "in time; default 16");
    options.add_real("tmax", s.end_time, 1e-12, 1e12, "propagate to this time instead of --steps");
    options.add_real("cfl", s.cfl_ratio, 1e-6, 1, "step in time, as a share of the longest stable one; default 1");
    options.add_real("dt", s.dt, 1e-12, 1e12, "step in time instead of --cfl");
    options.add_real("snapshot-dt", s.snapshot_dt, 1e-12, 1e12,
                     "shrink the step to a part of this, and check so often");
    options.add_count("check-every", s.check_every, 1, 1'000'000'000, "steps between checks; default: after the last");
    options.add_count("mode1", s.modes[0], 1, most_modes, "half waves on axis 1; default: see the documentation");
    options.add_count("mode2", s.modes[1], 1, most_modes, "half waves on axis 2");
    options.add_count("mode3", s.modes[2], 1, most_modes, "half waves on axis 3");
    options.add_text("boundary", s.boundary, "mirror or none",
                     "mirror: P = 0 on the surface; none: nothing is done there, and only what it cannot have reached "
                     "is checked; default mirror");
    add_variants(options, s, "baseline, split, blocked, temporal", "how steps are made");
    add_running(options, s, "propagations of each, all from the start; default 3");
    return options;
}

void require_one_of(const std::string& option, const std::string& value, const std::string& a, const std::string& b) {
    require(value == a || value == b, "--" + option + " does not take '" + value + "' but " + a + " or " + b);
}

void set_time(Settings& s) {
    if (s.dt == 0) s.dt = s.cfl_ratio * stencil::longest_stable_step(s.points, static_cast<int>(s.order));
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

/// The longest waves whose error by theory is at least 0.2 %, far above round-off, where the field has not just
/// vanished; different on each axis, so that no two axes can be exchanged unseen.
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

std::span<const SurfaceFace> Settings::mirrored_faces() const {
    return std::span(all_faces).first(mirrored() ? all_faces.size() : 0);
}

stencil::Eigenmode Settings::eigenmode() const {
    return {.modes = {static_cast<double>(modes[0]), static_cast<double>(modes[1]), static_cast<double>(modes[2])},
            .points = points,
            .order = static_cast<int>(order),
            .dt = dt};
}

Settings read_settings(std::span<const char* const> arguments) {
    Settings s;
    table(s).parse(arguments);
    complete(s);
    require_one_of("boundary", s.boundary, "mirror", "none");
    const double longest = stencil::longest_stable_step(s.points, static_cast<int>(s.order));
    require(s.dt <= longest, "--dt does not take " + std::to_string(s.dt) + " but at most " + std::to_string(longest) +
                                 ", beyond which the field grows without bound");
    for (const Index n : s.points) {
        require(!s.mirrored() || n > s.order / 2, "order " + std::to_string(s.order) + " needs more than " +
                                                      std::to_string(s.order / 2) + " points on each axis, not " +
                                                      std::to_string(n));
    }
    set_time(s);
    set_modes(s);
    return s;
}

std::string help_text() {
    Settings settings;
    return table(settings).help();
}

}  // namespace waywiser::propa
