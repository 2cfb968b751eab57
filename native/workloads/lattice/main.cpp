// ww-lattice: Wilson fermions on a lattice of four axes, in MPI and OpenMP, by conjugate gradients on even sites. Every
// run is checked against exact properties of the operator.
#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/node_memory.hpp"
#include "workloads/common/results.hpp"
#include "workloads/lattice/pattern.hpp"
#include "workloads/lattice/report.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::lattice;

std::vector<const Variant*> chosen(const Settings& s) {
    if (s.variant != "all") return all_named<Variant>(variants, "variant", s.variant);
    std::vector<const Variant*> all;
    for (const Variant& variant : variants) {
        if (variant.supported(s.antiperiodic)) all.push_back(&variant);
    }
    return all;
}

/// If a rank's box is too small to fill registers, plain loops process it.
HopKernels kernels(const Variant& variant, const Sites& sites) {
    return variant.vector && sites.lanes() == most_lanes() ? vector_hop() : plain_hop();
}

/// A variant with its own fields and links.
class Program {
public:
    Program(const Run& run, const Torus& torus, const Variant& variant, const Ranks& ranks)
        : run_(run),
          variant_(variant),
          ranks_(ranks),
          sites_(torus, variant.vector ? most_lanes() : 1),
          problem_(*run.settings, torus),
          links_(sites_, variant.rows),
          halo_(sites_, ranks.communicator),
          dirac_(sites_, links_, halo_, kernels(variant, sites_), run.settings->kappa),
          baseline_(sites_, links_, halo_, plain_hop(), run.settings->kappa),
          solver_(sites_, dirac_, ranks),
          b_(full_field(sites_)),
          x_(full_field(sites_)) {
        links_.fill([&](const Index4& site, std::size_t axis) { return problem_.link(site, axis); },
                    run.settings->antiperiodic);
        for_each_site(sites_, [&](const Place& place, const Index4& site) {
            b_[static_cast<std::size_t>(place.parity)].set(place.block, place.lane, problem_.source(site));
        });
    }

    void measure(Results& results) {
        const Settings& s = *run_.settings;
        Solved solved;
        Tries solutions = time_tries(s.tries, ranks_.communicator, [&] {
            solved = solver_.solve(b_, problem_.square_bound(), s.tolerance, s.iterations, x_);
        });
        const Sections sections = slowest(dirac_.sections(), section_table, ranks_);
        Full image = full_field(sites_);
        Tries hops = time_tries(s.tries, ranks_.communicator, [&] {
            for (const int parity : {even, odd}) {
                const auto to = static_cast<std::size_t>(parity);
                dirac_.hop(parity, false, b_[1 - to], 1, nullptr, image[to]);
            }
        });
        const Truths truths = judge({&s, &problem_, &sites_, &links_, &dirac_, &baseline_, &solver_, &b_, &x_, ranks_});
        const Measured solution{&run_,  &variant_, sites_.lanes(), "cg", std::move(solutions), solved.iterations,
                                solved, sections,  truths};
        results.add(sample(solution));
        results.add(sample({&run_, &variant_, sites_.lanes(), "hop", std::move(hops), 0, solved, {}, truths}));
        results.say(remarks(solution));
    }

private:
    const Run& run_;
    const Variant& variant_;
    const Ranks& ranks_;
    Sites sites_;
    Problem problem_;
    Links links_;
    Halo halo_;
    Dirac dirac_;
    Dirac baseline_;
    Solver solver_;
    Full b_, x_;
};

/// Memory of links, the right-hand side, the solution, four fields for the checks, seven fields on one parity, and the
/// links of faces that plaquettes exchange [B].
double needed_bytes(const Torus& torus) {
    constexpr double spinors = 2 + 4 + 3.5;
    double faces = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (torus.is_cut(axis)) faces += 2 / static_cast<double>(torus.local()[axis]);
    }
    return static_cast<double>(sizeof(double) * product(torus.local())) *
           (directions * 18 + faces * axes * 18 + spinors * static_cast<double>(spinor_values));
}

ExitCode write_matrices(const Settings& s, const Ranks& ranks) {
    const Index4 grid = rank_grid(s.extents, s.matrix_ranks, s.ranks);
    on_rank_0(ranks, [&] { write_pattern(s.matrix, s.extents, grid); });
    return success;
}

ExitCode lattice_program(const Settings& settings, const Ranks& ranks) {
    const std::vector<const Variant*> variants_to_run = chosen(settings);
    if (!settings.matrix.empty()) return write_matrices(settings, ranks);
    const Index4 grid = rank_grid(settings.extents, ranks.count, settings.ranks);
    const Torus torus(settings.extents, grid, ranks.rank);
    require_memory(needed_bytes(torus), product_text(settings.extents) + " sites", "fewer sites", ranks);
    Results results("lattice", columns, settings.json, ranks);
    const Run run{&settings, grid, measure_limits<double>(product(torus.local()) * directions * 6, ranks.communicator)};
    results.begin(description(run));
    for (const Variant* variant : variants_to_run) Program(run, torus, *variant, ranks).measure(results);
    return results.end();
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, lattice_program, columns); }
