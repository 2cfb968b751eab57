#include "workloads/propa/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/options.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::propa {
namespace {

constexpr Index most_points = 1'000'000;
constexpr Index default_steps = 16;

Options table(Settings& s) {
    Options options("ww-propa",
                    "acoustic waves by finite differences, after hpcscan's test case Propa.\n"
                    "Propagates an eigenmode of the unit cube, second order in time, and checks it against the exact one.");
    options.add_count("n1", s.points[0], 3, most_points, "points on axis 1, contiguous in memory; default 100");
    options.add_count("n2", s.points[1], 3, most_points, "points on axis 2; default n1");
    options.add_count("n3", s.points[2], 3, most_points, "points on axis 3; default n2");
    options.add_count("p1", s.ranks[0], 1, 1'000'000, "ranks on axis 1; default: the least to exchange");
    options.add_count("p2", s.ranks[1], 1, 1'000'000, "ranks on axis 2; default: the least to exchange");
    options.add_count("p3", s.ranks[2], 1, 1'000'000, "ranks on axis 3; default: the least to exchange");
    options.add_count("order", s.order, 2, stencil::greatest_order, "of the differences in space, even; default 8");
    options.add_text("precision", s.precision, "fp32 or fp64", "default fp32");
    options.add_count("steps", s.steps, 1, 1'000'000'000, "in time; default 16");
    options.add_real("tmax", s.end_time, 1e-12, 1e12, "propagate to this time instead of --steps");
    options.add_real("cfl", s.cfl_ratio, 1e-6, 1, "step in time, as a share of the longest stable one; default 1");
    options.add_real("dt", s.dt, 1e-12, 1e12, "step in time instead of --cfl");
    options.add_real("snapshot-dt", s.snapshot_dt, 1e-12, 1e12, "shrink the step to a part of this, and check so often");
    options.add_count("check-every", s.check_every, 1, 1'000'000'000, "steps between checks; default: after the last");
    options.add_count("mode1", s.modes[0], 1, most_points, "half waves on axis 1; default: see the documentation");
    options.add_count("mode2", s.modes[1], 1, most_points, "half waves on axis 2");
    options.add_count("mode3", s.modes[2], 1, most_points, "half waves on axis 3");
    options.add_count("tries", s.tries, 1, 1'000'000, "runs, each from the start and each a sample; default 3");
    options.add_text("boundary", s.boundary, "mirror or none",
                     "mirror: P = 0 on the surface; none: nothing is done there, and only what it cannot have reached "
                     "is checked; default mirror");
    options.add_text("variant", s.variant, "a name, all, or auto",
                     "of the kernel; auto: the fastest of a short run, which is remembered; default auto");
    options.add_flag("retune", s.retune, "forget which variant was the fastest");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a try and variant to this file");
    options.add_flag("help", s.help, "print this and stop");
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
            candidate.modes[axis] = std::clamp<Index>(n + static_cast<Index>(axis), 1, std::max<Index>(1, s.points[axis] / 4));
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

stencil::Eigenmode Settings::eigenmode() const {
    return {.modes = {static_cast<double>(modes[0]), static_cast<double>(modes[1]), static_cast<double>(modes[2])},
            .points = points,
            .order = static_cast<int>(order),
            .dt = dt};
}

Settings read_settings(std::span<const char* const> arguments) {
    Settings s;
    table(s).parse(arguments);
    if (s.points[1] == 0) s.points[1] = s.points[0];
    if (s.points[2] == 0) s.points[2] = s.points[1];
    require(s.order % 2 == 0, "--order does not take " + std::to_string(s.order) + " but an even number from 2 to 16");
    require_one_of("precision", s.precision, "fp32", "fp64");
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
