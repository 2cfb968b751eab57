// ww-npb: the simulated applications BT, SP and LU of the NAS Parallel Benchmarks, in MPI and OpenMP, checked against
// the values that NPB publishes.
#include "workloads/common/node_memory.hpp"
#include "workloads/common/npy.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/npb/as_npb.hpp"
#include "workloads/npb/layout.hpp"
#include "workloads/npb/norms.hpp"
#include "workloads/npb/report.hpp"
#include "workloads/npb/schemes.hpp"

#include <cstdlib>

namespace {

using namespace waywiser;
using namespace waywiser::npb;

std::unique_ptr<Scheme> make_scheme(const std::string& benchmark, const Variant& variant, Problem& problem) {
    if (benchmark == "bt") return variant.bt(problem);
    return benchmark == "sp" ? variant.sp(problem) : variant.lu(problem);
}

/// A variant on the problem. All members are collective.
class Program {
public:
    Program(const Settings& settings, const Variant& variant, const Partition& partition, const Ranks& ranks)
        : settings_(settings),
          variant_(variant),
          ranks_(ranks),
          problem_(partition, settings.dt, variant.evaluate, ranks.communicator),
          scheme_(make_scheme(settings.benchmark, variant, problem_)),
          relaxation_(is_lu() ? 1 / (over_relaxation * (2 - over_relaxation)) : 1) {}

    /// Returns the time of a step that follows an untimed step.
    double step_s() {
        problem_.start();
        step();
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        step();
        return slowest_s(watch.lap_s(), ranks_);
    }

    /// Returns the greatest difference from `reference` at any point after three steps. If `reference` is empty, copies
    /// the field to `reference` and returns nothing.
    std::optional<double> difference_after_3_steps(std::vector<Vector5>& reference) {
        problem_.start();
        for (int i = 0; i < 3; ++i) step();
        if (reference.empty()) {
            each_own([&](const Vector5& u) { reference.push_back(u); });
            return {};
        }
        double most = 0;
        auto next = reference.begin();
        each_own([&](const Vector5& u) { most = greatest_difference(u, *next++, most); });
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, ranks_.communicator);
        return most;
    }

    /// \param apart  difference from the first variant, if there is one to compare with
    Measured run(std::optional<double> apart) {
        if (as_npb()) start_as_npb(settings_, ranks_.communicator);
        make_first_step();
        Tries tries = time_all();
        const Norms norms = norms_of(problem_, is_lu());
        if (as_npb() && !is_lu()) MPI_Barrier(ranks_.communicator);
        std::optional<Norms> expected;
        if (settings_.as_published) expected = published(settings_.benchmark, settings_.problem_class);
        std::optional<MachineLimits> limits;
        if (settings_.roofline) {
            const OwnCalls calls(as_npb());
            const Index n = settings_.points;
            limits = measure_limits<double>(n * n * n / ranks_.count, ranks_.communicator);
        }
        return {.settings = &settings_,
                .variant = variant_.name,
                .partition = problem_.partition,
                .tries = std::move(tries),
                .norms = norms,
                .expected = expected,
                .apart = apart,
                .limits = limits};
    }

    void write(const std::string& path) const {
        const OwnCalls calls(as_npb());
        for (const Cell& cell : problem_.cells) {
            NpyFields<double> file(path, cell.cartesian, Field::unknowns, ranks_.communicator);
            const Region own = own_points(cell.cartesian);
            std::vector<double> values(static_cast<std::size_t>(own.points()));
            for (std::size_t m = 0; m < Field::unknowns; ++m) {
                auto next = values.begin();
                each_point(own, [&](const Index3& p) { *next++ = cell.u.get(p)[m]; });
                file.write(values);
            }
        }
    }

private:
    [[nodiscard]] bool is_lu() const { return settings_.benchmark == "lu"; }
    [[nodiscard]] bool as_npb() const { return problem_.partition.as_npb; }

    /// Calls `body` with u at each of the rank's points.
    template <class Body>
    void each_own(Body body) const {
        for (const Cell& cell : problem_.cells) {
            each_point(own_points(cell.cartesian), [&](const Index3& p) { body(cell.u.get(p)); });
        }
    }

    Tries time_all() {
        std::vector<double> seconds(static_cast<std::size_t>(settings_.tries));
        for (double& duration : seconds) duration = time_s(settings_.iterations);
        return Tries(std::move(seconds));
    }

    /// Returns the time of `steps` steps from the initial field.
    double time_s(Index steps) {
        problem_.start();
        MPI_Barrier(ranks_.communicator);
        Stopwatch watch;
        for (Index i = 0; i < steps; ++i) step(i == 0);
        const double seconds = watch.lap_s();
        return as_npb() ? slowest_as_npb_s(settings_, seconds, ranks_) : slowest_s(seconds, ranks_);
    }

    /// Makes the untimed first step, as NPB does. NPB's LU exchanges faces for the forcing before this step, and for
    /// the residual after it.
    void make_first_step() {
        if (as_npb() && is_lu()) {
            problem_.exchange();
            time_s(1);
            problem_.evaluate(1);
            (void)residual_norm(problem_);
        } else {
            problem_.start();
            step();
        }
    }

    /// \param first  true for the first step of a run, before which NPB's LU computes the norm of the residual
    void step(bool first = false) {
        problem_.evaluate(problem_.dt);
        if (first && as_npb() && is_lu()) (void)residual_norm(problem_);
        scheme_->solve();
        problem_.add(relaxation_);
    }

    const Settings& settings_;
    const Variant& variant_;
    const Ranks& ranks_;
    Problem problem_;
    std::unique_ptr<Scheme> scheme_;
    double relaxation_;
};

/// Returns the variants that `--variant` selects.
std::vector<const Variant*> choose(const Settings& s, const Partition& partition, const Ranks& ranks) {
    const std::string case_ = s.benchmark + ':' + std::to_string(s.points) + ':' + std::to_string(ranks.count) + ':' +
                              std::to_string(thread_limit());
    const auto seconds = [&](const Variant& variant) { return Program(s, variant, partition, ranks).step_s(); };
    return choose_variants(variants(), s.variant, tuning_key("npb", case_), s.retune, ranks.communicator, seconds);
}

ExitCode npb_program(const Settings& settings, const Ranks& ranks) {
    // NPB has ranks only: threads are used if OMP_NUM_THREADS is set.
    if (std::getenv("OMP_NUM_THREADS") == nullptr) use_one_thread();
    const Index n = settings.points;
    const bool as_npb = settings.messages == "npb";
    const Partition partition = settings.decomposition == "pencils"
                                    ? pencils(settings.benchmark, n, ranks.count, ranks.rank, as_npb)
                                    : multipartition(n, ranks.count, ranks.rank, as_npb);
    std::optional<OwnCalls> own(std::in_place, as_npb);
    require_memory(needed_bytes(settings.benchmark, partition), text("%lld points an axis", n), "a smaller class",
                   ranks);
    Results results("npb", columns, settings.json, ranks);
    // A file that cannot be written is rejected before the computation.
    if (!settings.field.empty()) {
        NpyFields<double>(settings.field, partition.boxes.front(), Field::unknowns, ranks.communicator);
    }
    const std::vector<const Variant*> chosen = choose(settings, partition, ranks);
    results.begin(description(settings, partition, ranks.count));
    std::vector<Vector5> reference;
    for (const Variant* variant : chosen) {
        own.emplace(as_npb);
        Program program(settings, *variant, partition, ranks);
        std::optional<double> apart;
        if (chosen.size() > 1) apart = program.difference_after_3_steps(reference);
        own.reset();
        const Measured measured = program.run(apart);
        results.add(sample(measured));
        results.say(remark(measured));
        if (!settings.field.empty() && variant == chosen.back()) program.write(settings.field);
    }
    return results.end(unchecked(settings));
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, npb_program, columns); }
