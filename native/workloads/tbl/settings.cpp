#include "workloads/tbl/settings.hpp"

#include "workloads/common/named.hpp"
#include "workloads/common/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace waywiser::tbl {
namespace {

constexpr double pi = std::numbers::pi;

constexpr Case cases[] = {
    {.name = "channel",
     .reynolds = 2800,
     .dt = 0.01,
     .length_1 = 4 * pi,
     .length_3 = 4 * pi / 3,
     .height = 2,
     .stretching = 1.7,
     .perturbation = 0.1,
     .drive = "bulk"},
    {.name = "temporal",
     .reynolds = 500,
     .dt = 0.01,
     .length_1 = 4 * pi,
     .length_3 = 2 * pi,
     .height = 10,
     .stretching = 2,
     .perturbation = 0.1,
     .sticks_at_top = false,
     .wall_velocity = 1},
    {.name = "poiseuille", .reynolds = 10, .dt = 0.05, .length_1 = 2, .length_3 = 2, .height = 2, .drive = "gradient"},
    {.name = "orr-sommerfeld",
     .reynolds = 7500,
     .dt = 0.02,
     .length_1 = 2 * pi,
     .length_3 = pi,
     .height = 2,
     .perturbation = 1e-4,
     .drive = "gradient"},
    {.name = "taylor-green",
     .reynolds = 100,
     .dt = 0.02,
     .length_1 = 2 * pi,
     .length_3 = 2 * pi,
     .height = 2,
     .sticks_at_bottom = false,
     .sticks_at_top = false},
    {.name = "blasius",
     .reynolds = 544,
     .dt = 0.2,
     .length_1 = 40,
     .length_3 = 4,
     .height = 12,
     .top_velocity = 1,
     .open = true},
    {.name = "spatial",
     .reynolds = 3000,
     .dt = 0.02,
     .length_1 = 20,
     .length_3 = pi,
     .height = 3,
     .stretching = 2,
     .perturbation = 0.1,
     .top_velocity = 1,
     .open = true},
};

struct NamedSolver {
    std::string_view name;
    Solver solver;
};
constexpr NamedSolver solvers[] = {{"transpose", Solver::transpose}, {"partitioned", Solver::partitioned}};

struct NamedScheme {
    std::string_view name;
    Scheme scheme;
};
constexpr NamedScheme schemes[] = {{"cn-ab", Scheme::cn_ab}, {"rk3", Scheme::rk3}};

constexpr double shortest_of_recycled = 12;

constexpr Index least_points = 4;  // a periodic stencil needs three distinct points, each wall two rows of cells
constexpr Index most_points = 100'000;

}  // namespace

Index Settings::first_averaged() const {
    // Rounding may add this fraction of a step to a time that is a whole number of steps.
    constexpr double of_a_step = 1e-6;
    return std::max(Index{1}, static_cast<Index>(std::ceil(average_from / dt - of_a_step)));
}

Options options_of(Settings& s) {
    Options options(
        "ww-tbl",
        "incompressible Navier-Stokes equations between two walls, solved as for turbulent boundary layers.\n"
        "Each run is checked for divergence, its budgets and, of laminar flows, their exact solutions.");
    options.add_text("case", s.case_name, names_of<Case>(cases), "flow to simulate; default channel");
    options.add_count("n1", s.points[0], least_points, most_points, "cells along the flow; default 64");
    options.add_count("n2", s.points[1], least_points, most_points, "cells between the walls; default 64");
    options.add_count("n3", s.points[2], least_points, most_points, "cells across; default 64");
    options.add_real("l1", s.lengths[0], 1e-6, 1e6, "length along the flow; default that of the case");
    options.add_real("l3", s.lengths[2], 1e-6, 1e6, "length across; default that of the case");
    options.add_real("re", s.reynolds, 1e-6, 1e12, "Reynolds number, 1 / viscosity; default that of the case");
    options.add_real("dt", s.dt, 1e-9, 1e3, "time step; default that of the case");
    options.add_count("steps", s.steps, 1, 100'000'000, "timed steps; default 20");
    options.add_real("stretching", s.stretching, 0, 10,
                     "stretching of the cells towards walls, 0: uniform; default that of the case");
    options.add_real("perturbation", s.perturbation, 0, 1,
                     "amplitude of the initial disturbance; default that of the case");
    options.add_choice("drive", s.drive, {"gradient", "bulk", "none"},
                       "constant force, constant bulk velocity, or no force; default that of the case",
                       "gradient, bulk or none");
    options.add_flag("inviscid", s.inviscid, "set the viscosity to 0");
    options.add_text("time", s.time_name, "cn-ab or rk3",
                     "scheme of a step: one pass that is implicit on all axes, or three Runge-Kutta passes that "
                     "are implicit between the walls; default cn-ab");
    options.add_text(
        "solver", s.solver_name, "transpose or partitioned",
        "solution of lines of axis 2 that ranks share: whole lines, or each rank its rows; default transpose");
    options.add_count("p1", s.p1, 1, 1'000'000,
                      "ranks that share axis 2, and axis 3 for its lines; default: chosen by the program");
    options.add_count("p2", s.p2, 1, 1'000'000,
                      "ranks that share axis 3, and axis 1 for its lines; default: chosen by the program");
    options.add_real("average-from", s.average_from, 0, 1e9,
                     "average the mean profile and the Reynolds stresses from this time on; default never");
    options.add_text("statistics", s.statistics, "the name of a file",
                     "write the averages as a JSON object to this file, every 1000 steps and at the end");
    options.add_text("field", s.field, "the name of a file",
                     "write the three velocities and the pressure to this .npy file at the end");
    options.add_text("json", s.json, "the name of a file", "write one JSON object to this file");
    return options;
}

void complete(Settings& s) {
    s.flow = &find_named<Case>(cases, "case", s.case_name);
    const Case& flow = *s.flow;
    if (s.lengths[0] == 0) s.lengths[0] = flow.length_1;
    if (s.lengths[2] == 0) s.lengths[2] = flow.length_3;
    s.lengths[1] = flow.height;
    if (s.reynolds == 0) s.reynolds = flow.reynolds;
    if (s.dt == 0) s.dt = flow.dt;
    if (s.stretching < 0) s.stretching = flow.stretching;
    if (s.perturbation < 0) s.perturbation = flow.perturbation;
    if (s.drive.empty()) s.drive = flow.drive;
    s.scheme = find_named<NamedScheme>(schemes, "time", s.time_name).scheme;
    s.solver = find_named<NamedSolver>(solvers, "solver", s.solver_name).solver;
    require(s.case_name != "orr-sommerfeld" || (s.perturbation > 0 && s.drive == "gradient" && !s.inviscid),
            "--case orr-sommerfeld requires a --perturbation above 0, --drive gradient and viscosity");
    require(!flow.open || (s.drive == "none" && !s.inviscid),
            "--case " + s.case_name + " requires viscosity and --drive none");
    require(!s.recycled() || s.lengths[0] >= shortest_of_recycled,
            text("--case spatial requires an --l1 of %g or more, since its inflow comes from a plane %g behind it",
                 shortest_of_recycled, recycled_after));
    if (!s.statistics.empty() && !s.averages()) s.average_from = 0;
    require(!flow.open || !s.averages(), "--case " + s.case_name + " has no averages along the flow");
    require(!s.averages() || s.first_averaged() <= s.steps,
            text("--average-from %g leaves nothing to average: the run ends at %g", s.average_from,
                 static_cast<double>(s.steps) * s.dt));
}

}  // namespace waywiser::tbl
