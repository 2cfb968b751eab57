// ww-comm: what halo exchange takes, for every decomposition of the ranks and in every way to send.
#include "base/error.hpp"
#include "workloads/comm/report.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/results.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::comm;

struct Case {
    Index order;
    Index3 ranks;
};

std::vector<Case> chosen_cases(const Settings& settings, int ranks) {
    std::vector<Case> cases;
    for (const Index order : settings.orders) {
        for (const Index3& p : decompositions(settings.points, ranks, order / 2, settings.ranks)) {
            cases.push_back({order, p});
        }
    }
    return cases;
}

template <class Real>
ExitCode run(const Settings& settings, const Ranks& ranks) {
    require(ranks.count > 1, "one rank has no neighbour: start at least two, as in `mpirun -n 2 ww-comm`");
    const std::vector<const Variant*> chosen = all_named(variants(), "variant", settings.variant);
    const std::vector<Case> cases = chosen_cases(settings, ranks.count);
    Results results("comm", settings.json, ranks);
    const Index3& n = settings.points;
    const MachineLimits limits = measure_limits<Real>(n[0] * n[1] * n[2] / ranks.count, ranks.communicator);
    results.say(heading(settings, limits, ranks.count) + shared_cpus_remark(ranks));
    for (const Case& one : cases) {
        const Index halo = one.order / 2;
        const Traffic cost = traffic(settings.points, one.ranks, halo);
        for (const Variant* variant : chosen) {
            const Result result = measure<Real>(*variant, settings.points, one.ranks, halo, settings.tries, ranks);
            results.add(Measured{&settings, variant, &limits, &result, one.ranks, one.order, cost});
        }
    }
    return results.end();
}

ExitCode comm_program(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, comm_program); }
