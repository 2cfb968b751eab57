#include "workloads/npb/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"

namespace waywiser::npb {
namespace {

constexpr Index least_points = 6;  // one-sided differences next to two faces, and a box for LU's integral
constexpr Index most_points = 10'000;

}  // namespace

Options options_of(Settings& s) {
    Options options("ww-npb",
                    "the simulated applications BT, SP and LU of the NAS Parallel Benchmarks.\n"
                    "Residual and error are checked against the published values of the class.");
    options.add_choice("benchmark", s.benchmark, {"bt", "sp", "lu"},
                       "block-tridiagonal, scalar pentadiagonal, or symmetric over-relaxation; default bt",
                       "bt, sp or lu");
    options.add_text("class", s.problem_class, "S, W, A, B, C, D, E or F",
                     "size, iterations and time step; default S; D, E and F have no published values here");
    options.add_count("n1", s.points, least_points, most_points, "points on each axis; default that of the class");
    options.add_count("iterations", s.iterations, 1, 1'000'000, "timed steps; default those of the class");
    options.add_real("dt", s.dt, 1e-12, 1e3, "time step; default that of the class");
    options.add_choice(
        "decomposition", s.decomposition, {"pencils", "multipartition"},
        "pencils: one box per rank; multipartition, for BT and SP: several boxes per rank of a square number "
        "of ranks, as in NPB; default pencils",
        "pencils or multipartition");
    options.add_choice("messages", s.messages, {"exact", "npb"},
                       "messages between ranks: as few as needed, or as NPB sends them; default exact", "exact or npb");
    options.add_text("variant", s.variant, "baseline, vector, all, or auto",
                     "vector: several points or lines in a register; auto: the fastest of a short run, which is "
                     "remembered; default auto");
    options.add_flag("retune", s.retune, "forget which variant was the fastest");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed runs, each from the start; default 1");
    options.add_flag("roofline", s.roofline,
                     "measure bandwidth and flop rate after the last run, and print the share that it reached");
    options.add_text("field", s.field, "the name of a file",
                     "write the five unknowns at every point to this .npy file when the last run has ended");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a variant to this file");
    return options;
}

void complete(Settings& s) {
    const ProblemClass& c = find_named(classes_of(s.benchmark), "class", s.problem_class);
    require(s.benchmark != "lu" || s.decomposition == "pencils",
            "--decomposition multipartition requires --benchmark bt or sp, as the sweeps of lu are in pencils");
    require(s.benchmark == "lu" || s.messages == "exact" || s.decomposition == "multipartition",
            "--messages npb of " + s.benchmark + " requires --decomposition multipartition");
    if (s.points == 0) s.points = c.points;
    if (s.iterations == 0) s.iterations = c.iterations;
    if (s.dt == 0) s.dt = c.dt;
    s.as_published = s.points == c.points && s.iterations == c.iterations && s.dt == c.dt;
}

}  // namespace waywiser::npb
