#include "workloads/shallow/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/shallow/choices.hpp"

#include <cmath>

namespace waywiser::shallow {
namespace {

constexpr Index finest = 9;
constexpr double step_on_grid_3 = 1800;

void set_time(Settings& s) {
    if (s.step == 0) s.step = std::ldexp(step_on_grid_3, static_cast<int>(3 - s.grid));
    if (s.steps > 0) {
        s.days = static_cast<double>(s.steps) * s.step / seconds_a_day;
        return;
    }
    if (s.days == 0) s.days = s.test == 2 ? 12 : 15;
    s.steps = std::llround(s.days * seconds_a_day / s.step);
    require(s.steps > 0, "--days is shorter than half a --step; use more days");
}

}  // namespace

Options options_of(Settings& s) {
    Options options("ww-shallow",
                    "shallow water on a sphere of centroidal Voronoi cells, on several levels at once.\n"
                    "Each run is checked against identities of the operators and conservation laws.");
    options.add_count("grid", s.grid, 2, finest, "bisections of the icosahedron: 10 x 4^grid + 2 cells; default 3");
    options.add_count("levels", s.levels, 1, 1024, "independent layers of water; default 4");
    options.add_count("first-level", s.first_level, 0, 1023, "number of the first layer; default 0");
    options.add_count("test", s.test, 2, 5, "Williamson's test case: 2 (steady flow) or 5 (a mountain); default 2");
    options.add_real("angle", s.angle, -180, 180,
                     "angle between the axes of test 2 and of the sphere, in degrees; default 0");
    options.add_real("step", s.step, 0.001, 86'400,
                     "time step in seconds; default: 1800 on grid 3, half of it on grid 4");
    options.add_real("days", s.days, 0.001, 1000, "simulated time; default 12 for test 2, 15 for test 5");
    options.add_count("steps", s.steps, 1, 100'000'000, "time steps, instead of --days");
    options.add_text("form", s.form, "energy or enstrophy", "conserved quantity; default energy");
    options.add_text("partition", s.partition, "rhombi, rcb or metis:FILE",
                     "partition of the cells: blocks of ten rhombi, recursive bisection of centres, or the parts in "
                     "a file; default rcb");
    options.add_text("exchange", s.exchange, "nonblocking, neighbourhood or persistent",
                     "the calls that exchange halos; default nonblocking");
    options.add_text("exchanges", s.exchanges, "packed or separate",
                     "cells and edges in one message to each neighbour, or in one each; default packed");
    options.add_count("block", s.block, 1, 1'000'000, "cells that are computed at a time; default: all of a thread");
    options.add_count("work", s.work, 1, 10'000,
                      "compute each tendency this many times: artificial physics; default 1");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed integrations; default 1");
    options.add_flag(
        "check-order", s.check_order,
        "integrate again, on the next coarser grid (test 2) or with half of the step (test 5), and compare");
    add_matrix(options, s, "step");
    options.add_text("graph", s.graph, "the name of a file",
                     "write the mesh as a graph for METIS to this file, and stop");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a row of the table to this file");
    return options;
}

void complete(Settings& s) {
    require(s.test == 2 || s.test == 5, "--test '" + std::to_string(s.test) + "': expected 2 or 5");
    require(s.test == 2 || s.angle == 0, "--angle requires --test 2");
    (void)find_named<Form>(forms, "form", s.form);
    (void)find_named<Method>(methods, "exchange", s.exchange);
    (void)find_named<Grouping>(groupings, "exchanges", s.exchanges);
    const bool is_file = s.partition.starts_with("metis:") && s.partition != "metis:";
    require(is_file || s.partition == "rhombi" || s.partition == "rcb",
            "--partition '" + s.partition + "': expected rhombi, rcb or metis:FILE");
    require_both(s);
    set_time(s);
}

}  // namespace waywiser::shallow
