#include "workloads/grid/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/options.hpp"

namespace waywiser::grid {
namespace {

Options table(Settings& s) {
    constexpr Index most_points = 1'000'000;
    Options options("ww-grid",
                    "sweeps over a grid with a halo that is cut among the ranks, after hpcscan's case Grid.\n"
                    "Reductions are checked against closed forms, everything else point by point.");
    options.add_count("n1", s.points[0], 1, most_points, "points of the whole grid along axis 1; default 256");
    options.add_count("n2", s.points[1], 1, most_points, "default n1");
    options.add_count("n3", s.points[2], 1, most_points, "default n2");
    options.add_count("p1", s.ranks[0], 0, most_points, "ranks along axis 1; default 0: chosen to exchange least");
    options.add_count("p2", s.ranks[1], 0, most_points, "default 0");
    options.add_count("p3", s.ranks[2], 0, most_points, "default 0");
    options.add_count("order", s.order, 2, 16, "an even one, of the differences whose halo the grid has; default 8");
    options.add_text("precision", s.precision, "fp32 or fp64", "of the points; default fp32");
    options.add_text("kernel", s.kernel, "one of the kernels, or all",
                     "fill, max-error, l1-error, sum-abs, sum-abs-difference, max, min, update-pressure or boundary; "
                     "default all");
    options.add_text("variant", s.variant, "plain, vectorised, auto or all",
                     "how loops are written; auto takes the faster, and remembers which; default all");
    options.add_flag("retune", s.retune, "with --variant auto: measure again which is the faster");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed sweeps of each, after one to warm up; default 10");
    options.add_real("param1", s.fill_value, -1e6, 1e6, "what fill writes; default 0.8");
    options.add_flag("barrier", s.barrier, "time a barrier after each sweep too, as hpcscan does");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a kernel and variant to this file");
    options.add_flag("help", s.help, "print this and stop");
    return options;
}

}  // namespace

Settings read_settings(std::span<const char* const> arguments) {
    Settings settings;
    table(settings).parse(arguments);
    auto& [n1, n2, n3] = settings.points;
    if (n2 == 0) n2 = n1;
    if (n3 == 0) n3 = n2;
    require(settings.order % 2 == 0,
            "--order does not take '" + std::to_string(settings.order) + "' but an even number from 2 to 16");
    return settings;
}

std::string help_text() {
    Settings settings;
    return table(settings).help();
}

}  // namespace waywiser::grid
