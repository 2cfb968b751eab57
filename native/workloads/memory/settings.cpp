#include "workloads/memory/settings.hpp"

#include "workloads/common/options.hpp"

namespace waywiser::memory {
namespace {

Options table(Settings& s) {
    constexpr Index most_points = 1'000'000;
    Options options("ww-memory",
                    "sweeps over long arrays, after STREAM and hpcscan's case Memory.\n"
                    "Every rank sweeps arrays of its own, with all its threads.");
    options.add_count("n1", s.points[0], 1, most_points, "a rank's arrays have n1 n2 n3 points; default 256");
    options.add_count("n2", s.points[1], 1, most_points, "default n1");
    options.add_count("n3", s.points[2], 1, most_points, "default n2");
    options.add_text("precision", s.precision, "fp32 or fp64", "of the points; default fp32");
    options.add_text("kernel", s.kernel, "read, fill, copy, add, multiply, add-update, triad, leapfrog or all",
                     "default all");
    options.add_text("variant", s.variant, "plain, nontemporal, auto or all",
                     "how values are stored; auto takes the faster, and remembers which; default all");
    options.add_flag("retune", s.retune, "with --variant auto: measure again which is the faster");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed sweeps of each, after one to warm up; default 10");
    options.add_real("param1", s.scale_b, -1e6, 1e6, "greatest value of b is nearly twice this; default 0.8");
    options.add_real("param2", s.scale_c, -1e6, 1e6, "likewise of c, and what fill and triad call s; default 0.9");
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
    return settings;
}

std::string help_text() {
    Settings settings;
    return table(settings).help();
}

}  // namespace waywiser::memory
