// ww-minife: assemble a hexahedral finite-element problem and solve it by conjugate gradients, in MPI and OpenMP.
#include "base/error.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/minife/decomposition.hpp"
#include "workloads/minife/multigrid.hpp"
#include "workloads/minife/problem.hpp"

#include <mpi.h>

#include <cstdlib>
#include <limits>

namespace {

using namespace waywiser;
using namespace waywiser::minife;

/// Local column numbers have 32 bits; every rank checks all boxes, so that all reach the same conclusion.
void require_local_numbers(const Mesh& mesh, std::span<const Box> boxes) {
    for (const Box& box : boxes) {
        const Index columns = mesh.with_neighbours(mesh.owned_nodes(box)).volume();
        require(columns <= std::numeric_limits<std::int32_t>::max(),
                "a rank would have " + std::to_string(columns) +
                    " rows, and a local row number ends at 2147483647: " + "give more ranks");
    }
}

/// One operator on the problem, with the solver of the settings.
class Solving {
public:
    Solving(const Settings& settings, const OperatorVariant& variant, Problem& problem, const Ranks& ranks)
        : settings_(settings),
          variant_(variant),
          problem_(problem),
          ranks_(ranks),
          matrix_(problem.matrix(variant)),
          metrics_(problem.metrics(variant)),
          rows_(make_rows()),
          product_(problem.layout(), problem.layout().owned, *rows_, problem.halo(), settings.overlap) {}

    CgResult solve(const CgStop& stop) {
        Stopwatch watch;
        const Array<double>& b = matrix_.right_side;
        const Layout& layout = problem_.layout();
        const MPI_Comm comm = ranks_.communicator;
        if (settings_.multigrid()) {
            const auto make = settings_.mixed() ? make_multigrid<float> : make_multigrid<double>;
            const std::unique_ptr<Preconditioner> m = make(layout.mesh, problem_.owned(), comm);
            metrics_.levels.add(watch.lap_s(), {});
            return solve_preconditioned(product_, *m, b, stop, comm);
        }
        if (!settings_.mixed()) return settings_.cg->solve(product_, b, stop, comm);
        const auto rows = variant_.in_single(layout, matrix_, problem_.stencil());
        const auto neighbours = problem_.halo().neighbours();
        Halo<float> halo({neighbours.begin(), neighbours.end()}, layout, comm);
        Product<float> inner(layout, layout.owned, *rows, halo, settings_.overlap);
        book_conversion(watch.lap_s(), rows->matrix_bytes());
        return solve_mixed(product_, inner, b, stop, comm);
    }

    /// The results and times, on rank 0.
    Run run() {
        const CgStop stop{settings_.tolerance, settings_.iteration_limit, settings_.fixed_iterations};
        CgResult result = solve(stop);
        metrics_.cg = result.accounts;
        const Csr* rows = variant_.source == Source::rows ? &matrix_ : nullptr;
        Run done{.settings = settings_,
                 .ranks = std::vector<RankMetrics>(ranks_.rank == 0 ? static_cast<std::size_t>(ranks_.count) : 0),
                 .verification = {},
                 .iterations = result.iterations,
                 .initial_norm = result.initial_norm,
                 .residual_norm = result.residual_norm,
                 .limits = {}};
        done.settings.matrix = &variant_;
        if (settings_.roofline && result.iterations > 0) {
            done.limits = measure_limits<double>(problem_.layout().rows(), ranks_.communicator);
        }
        done.verification = verify(product_, rows, matrix_.right_side, result, stop, ranks_.communicator);
        constexpr int doubles = sizeof(RankMetrics) / sizeof(double);
        MPI_Gather(&metrics_, doubles, MPI_DOUBLE, done.ranks.data(), doubles, MPI_DOUBLE, 0, ranks_.communicator);
        return done;
    }

private:
    std::unique_ptr<Operator<double>> make_rows() {
        Stopwatch watch;
        auto rows = variant_.in_double(problem_.layout(), matrix_, problem_.stencil());
        book_conversion(watch.lap_s(), rows->matrix_bytes());
        return rows;
    }

    void book_conversion(double seconds, Index bytes) {
        if (variant_.source == Source::converted_rows) metrics_.convert.add(seconds, {bytes, 0});
    }

    const Settings& settings_;
    const OperatorVariant& variant_;
    Problem& problem_;
    const Ranks& ranks_;
    const Csr& matrix_;
    RankMetrics metrics_;
    std::unique_ptr<Operator<double>> rows_;
    Product<double> product_;
};

/// The variants of `possible` that the user selects.
std::vector<const OperatorVariant*> choose(const Settings& settings, std::span<const OperatorVariant> possible,
                                           Problem& problem, const Ranks& ranks) {
    const auto& [x, y, z] = settings.elements;
    std::string case_ = settings.solver();
    for (const Index n : {x, y, z, Index{ranks.count}, Index{thread_limit()}})
        case_.append(":").append(std::to_string(n));
    // Times a few iterations, after as many that bring caches and pages into their state.
    const auto seconds = [&](const OperatorVariant& variant) {
        constexpr CgStop few{.tolerance = 0, .iteration_limit = 5, .fixed_iterations = true};
        Solving solving(settings, variant, problem, ranks);
        static_cast<void>(solving.solve(few));
        return slowest_s(solving.solve(few).accounts.total.seconds, ranks);
    };
    return choose_variants(possible, settings.operators, tuning_key("minife", case_), settings.retune,
                           ranks.communicator, seconds);
}

ExitCode run(const Settings& settings, std::span<const Box> boxes, const Ranks& ranks) {
    Results results("minife", {}, settings.json, ranks);
    Problem problem(settings, boxes, ranks);
    results.say(thread_limit() > 1 ? shared_cpus_remark(ranks) : "");
    const std::vector<OperatorVariant> possible = settings.possible_operators();
    std::vector<Sample> solutions;
    bool verified = true;
    for (const OperatorVariant* variant : choose(settings, possible, problem, ranks)) {
        const Run done = Solving(settings, *variant, problem, ranks).run();
        verified = verified && done.verification.passed();
        if (ranks.rank != 0) continue;
        const std::vector<Sample> phases = samples(done);
        results.say(summary(done, phases));
        for (const Sample& sample : phases) results.add(sample);
        solutions.push_back(solution(phases));
    }
    if (solutions.size() > 1) results.say(table(comparison_columns, solutions));
    return verified ? success : unverified;
}

ExitCode minife_program(const Settings& settings, const Ranks& ranks) {
    // The original has ranks only, so threads are used only on request.
    if (std::getenv("OMP_NUM_THREADS") == nullptr) use_one_thread();
    const std::vector<Box> boxes = decompose(settings.elements, ranks.count, settings.load_imbalance_percent);
    require_local_numbers(Mesh{settings.elements}, boxes);
    return run(settings, boxes, ranks);
}

}  // namespace

int main(int argc, char** argv) {
    return run_workload<Settings>(argc, argv, minife_program, {phase_columns, comparison_columns});
}
