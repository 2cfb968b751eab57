#include "workloads/memory/settings.hpp"

#include "workloads/common/options.hpp"

namespace waywiser::memory {

Options options_of(Settings& s) {
    Options options("ww-memory",
                    "sweeps over long arrays, after STREAM and hpcscan's case Memory.\n"
                    "Every rank sweeps arrays of its own, with all its threads.");
    add_points(options, s, 1, "a rank's arrays have n1 n2 n3 points");
    options.add_text("kernel", s.kernel, "read, fill, copy, add, multiply, add-update, triad, leapfrog or all",
                     "default all");
    add_variants(options, s, "plain, nontemporal", "how values are stored");
    options.add_real("param1", s.scale_b, -1e6, 1e6, "greatest value of b is nearly twice this; default 0.8");
    options.add_real("param2", s.scale_c, -1e6, 1e6, "the same for c, and what fill and triad call s; default 0.9");
    add_running(options, s, "timed sweeps of each, after one to warm up; default 10");
    return options;
}

}  // namespace waywiser::memory
