#include "workloads/lattice/settings.hpp"

#include "base/error.hpp"

#include <charconv>
#include <limits>
#include <string_view>

namespace waywiser::lattice {
namespace {

constexpr Index most_sites = 4096;
constexpr Index most_ranks = 65'536;
constexpr double greatest_distance = 1;

void read_gauge(Settings& s) {
    constexpr std::string_view prefix = "near-unit:";
    if (s.gauge == "unit" || s.gauge == "random") return;
    const std::string_view all = s.gauge;
    bool is_number = all.starts_with(prefix);
    if (is_number) {
        const char* const end = all.data() + all.size();
        const auto [after, error] = std::from_chars(all.data() + prefix.size(), end, s.distance);
        is_number = error == std::errc{} && after == end && s.distance > 0 && s.distance <= greatest_distance;
    }
    require(is_number,
            "--gauge '" + s.gauge + "': expected unit, random, or near-unit:EPS with EPS above 0 and at most 1");
}

}  // namespace

Options options_of(Settings& s) {
    Options options("ww-lattice",
                    "Wilson fermions on a lattice of four axes, solved by conjugate gradients on even sites.\n"
                    "Each run is checked against exact properties of the operator.");
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::string name(1, "xyzt"[axis]);
        options.add_count(name, s.extents[axis], 2, most_sites,
                          "sites on axis " + name + ", even on each rank; default " + std::to_string(s.extents[axis]));
    }
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::string name(1, "xyzt"[axis]);
        options.add_count("p" + name, s.ranks[axis], 0, most_ranks,
                          "ranks on axis " + name + "; default 0: the grid of ranks that sends least");
    }
    options.add_real("kappa", s.kappa, 0.001, 0.1249, "hopping parameter, 1 / (2 mass + 8); default 0.12");
    options.add_text("gauge", s.gauge, "unit, random or near-unit:EPS", "the links; default random");
    options.add_choice("source", s.source, {"random", "point"}, "the right-hand side; default random");
    options.add_count("seed", s.seed, 0, std::numeric_limits<std::int32_t>::max(), "random seed; default 1");
    options.add_flag("antiperiodic-t", s.antiperiodic, "change the sign of fields around axis t");
    options.add_real("tolerance", s.tolerance, 1e-14, 0.1,
                     "residual of the normal equations at the end, relative to the start; default 1e-12");
    options.add_count("iterations", s.iterations, 1, 1'000'000, "largest number of iterations; default 1000");
    options.add_text("variant", s.variant, "baseline, vector, two-row or all",
                     "plain loops, vectors over sub-lattices, or vectors with two rows of each link; default vector");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed solutions and hops; default 3");
    options.add_flag("check-gauge", s.check_gauge, "solve again with transformed links and compare");
    add_matrix(options, s, "iteration");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a row of the table to this file");
    return options;
}

void complete(Settings& s) {
    read_gauge(s);
    require(s.variant != "two-row" || !s.antiperiodic,
            "--variant two-row requires links of SU(3), which those around an antiperiodic axis are not; leave out "
            "--antiperiodic-t");
    require_both(s);
}

}  // namespace waywiser::lattice
