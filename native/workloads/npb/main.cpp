// ww-npb: the simulated applications BT, SP and LU of the NAS Parallel Benchmarks, in MPI, checked against the values
// that NPB publishes.
#include "workloads/common/node_memory.hpp"
#include "workloads/common/npy.hpp"
#include "workloads/common/results.hpp"
#include "workloads/npb/layout.hpp"
#include "workloads/npb/norms.hpp"
#include "workloads/npb/report.hpp"
#include "workloads/npb/schemes.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::npb;

std::unique_ptr<Scheme> make_scheme(const std::string& benchmark, Problem& problem) {
    if (benchmark == "bt") return make_bt(problem);
    return benchmark == "sp" ? make_sp(problem) : make_lu(problem);
}

class Program {
public:
    Program(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks)
        : settings_(settings),
          ranks_(ranks),
          problem_(cartesian, settings.dt, ranks.communicator),
          scheme_(make_scheme(settings.benchmark, problem_)),
          relaxation_(is_lu() ? 1 / (over_relaxation * (2 - over_relaxation)) : 1) {}

    ExitCode run(Results& results) {
        problem_.start();
        step();  // the one that NPB does not time either
        Tries tries = time_all();
        const Norms norms = norms_of(problem_, is_lu());
        const std::string why = unchecked(settings_);
        const auto expected = why.empty() ? published(settings_.benchmark, settings_.problem_class) : std::nullopt;
        results.add(Measured{&settings_, problem_.cartesian.ranks(), std::move(tries), norms, expected});
        return results.end(why);
    }

    /// Collective.
    void write(NpyFields<double>& file) const {
        std::vector<double> values(static_cast<std::size_t>(own_points(problem_.cartesian).points()));
        for (Index m = 0; m < Field::unknowns; ++m) {
            auto next = values.begin();
            each_point(own_points(problem_.cartesian), [&](const Index3& p) { *next++ = problem_.u.at(p)[m]; });
            file.write(values);
        }
    }

private:
    [[nodiscard]] bool is_lu() const { return settings_.benchmark == "lu"; }

    Tries time_all() {
        std::vector<double> seconds;
        for (Index i = 0; i < settings_.tries; ++i) {
            problem_.start();
            MPI_Barrier(ranks_.communicator);
            Stopwatch watch;
            for (Index iteration = 0; iteration < settings_.iterations; ++iteration) step();
            seconds.push_back(slowest_s(watch.lap_s(), ranks_));
        }
        return Tries(std::move(seconds));
    }

    void step() {
        problem_.evaluate();
        for (double& value : problem_.rhs.values()) value *= problem_.dt;
        scheme_->solve();
        each_point(inner_points(problem_.cartesian), [&](const Index3& p) {
            double* u = problem_.u.at(p);
            const double* change = problem_.rhs.at(p);
            for (Index m = 0; m < Field::unknowns; ++m) u[m] += relaxation_ * change[m];
        });
    }

    const Settings& settings_;
    const Ranks& ranks_;
    Problem problem_;
    std::unique_ptr<Scheme> scheme_;
    double relaxation_;
};

ExitCode npb_program(std::span<const char* const> arguments, const Ranks& ranks) {
    const Settings settings = read_settings(arguments);
    if (settings.help) {
        if (ranks.rank == 0) std::fputs(help_text().c_str(), stdout);
        return success;
    }
    const Index n = settings.points;
    const Cartesian cartesian({n, n, n}, layout(settings.benchmark, n, ranks.count), ranks.rank);
    require_memory(needed_bytes(settings.benchmark, {n, n, n}, cartesian.ranks()),
                   std::to_string(n) + " points an axis", "a smaller class", ranks);
    Results results(settings.json, ranks);
    std::optional<NpyFields<double>> field;
    if (!settings.field.empty()) field.emplace(settings.field, cartesian, Field::unknowns, ranks.communicator);
    results.say(heading(settings, cartesian.ranks()));
    Program program(settings, cartesian, ranks);
    const ExitCode code = program.run(results);
    if (field) program.write(*field);
    return code;
}

}  // namespace

int main(int argc, char** argv) { return run_program("ww-npb", argc, argv, npb_program); }
