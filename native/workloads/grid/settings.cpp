#include "workloads/grid/settings.hpp"

namespace waywiser::grid {

Options options_of(Settings& s) {
    Options options("ww-grid",
                    "sweeps over a grid with a halo that is cut among the ranks, after hpcscan's case Grid.\n"
                    "Reductions are checked against closed forms, everything else point by point.");
    add_points(options, s, 1, "points of the whole grid on axis 1");
    add_cut(options, s, "the least to exchange");
    add_order(options, s);
    options.add_text("kernel", s.kernel, "one of the kernels, or all",
                     "fill, max-error, l1-error, sum-abs, sum-abs-difference, max, min, update-pressure or boundary; "
                     "default all");
    add_variants(options, s, "plain, vectorised", "how loops are written");
    options.add_real("param1", s.fill_value, -1e6, 1e6, "what fill writes; default 0.8");
    options.add_flag("barrier", s.barrier, "time a barrier after each sweep too, as hpcscan does");
    add_running(options, s, "timed sweeps of each, after one to warm up; default 10");
    return options;
}

}  // namespace waywiser::grid
