// ww-shallow: shallow water on a sphere of centroidal Voronoi cells, in MPI and OpenMP. Each run is checked against
// identities of its operators and against conserved quantities.
#include "base/error.hpp"
#include "workloads/common/node_memory.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/shallow/choices.hpp"
#include "workloads/shallow/pattern.hpp"
#include "workloads/shallow/report.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::shallow;

/// Rank 0 makes or reads the mesh and broadcasts the centres.
std::vector<Vector3> centres_on_all(Index grid, const Ranks& ranks) {
    std::vector<Vector3> centres(static_cast<std::size_t>(cells_of(grid)));
    on_rank_0(ranks, [&] { centres = cached_centres(grid); });
    MPI_Bcast(centres.data(), static_cast<int>(3 * centres.size()), MPI_DOUBLE, 0, ranks.communicator);
    return centres;
}

Partition partition_on_all(const Settings& s, const std::vector<Vector3>& centres, const Ranks& ranks) {
    Partition partition(centres.size());
    on_rank_0(ranks, [&] { partition = make_partition(s.partition, s.grid, ranks.count, [&] { return centres; }); });
    MPI_Bcast(partition.data(), static_cast<int>(partition.size()), MPI_INT, 0, ranks.communicator);
    return partition;
}

/// A mesh distributed among ranks, and the fields on it.
class Program {
public:
    /// \param centres  those of all cells
    Program(const Settings& settings, const Ranks& ranks, std::vector<Vector3> centres)
        : settings_(settings),
          ranks_(ranks),
          topology_(settings.grid),
          mesh_(topology_, std::move(centres)),
          problem_(settings),
          domain_(make_domain()),
          halo_(domain_, settings.levels, settings.exchange,
                find_named<Grouping>(groupings, "exchanges", settings.exchanges).is_packed, ranks.communicator),
          integrator_(domain_, halo_, settings),
          judge_(domain_, problem_, settings, ranks),
          start_(problem_.start(domain_)),
          end_(problem_.start(domain_)) {}

    [[nodiscard]] Identities identities() const { return check_identities(domain_, judge_, ranks_); }

    void integrate() {
        copy(start_.thickness, end_.thickness, domain_.cells().size());
        copy(start_.velocity, end_.velocity, domain_.edges().size());
        for (Index step = 0; step < settings_.steps; ++step) integrator_.step(end_, settings_.step);
    }

    [[nodiscard]] std::vector<Invariants> at_start() const { return judge_.invariants(start_); }
    [[nodiscard]] std::vector<Invariants> at_end() const { return judge_.invariants(end_); }
    [[nodiscard]] std::vector<std::uint64_t> digests() const { return judge_.digests(end_); }
    [[nodiscard]] std::vector<Errors> errors() const {
        return problem_.is_steady() ? judge_.errors(end_, start_) : std::vector<Errors>();
    }
    [[nodiscard]] Sections sections() const { return integrator_.sections(); }

private:
    [[nodiscard]] Domain make_domain() const {
        const Partition partition = partition_on_all(settings_, mesh_.centres(), ranks_);
        Shares shares(topology_, partition, ranks_.count);
        const Share share = shares.of(ranks_.rank);
        return {mesh_, share, shares.sent(ranks_.rank, share), problem_.ground(), settings_.block};
    }

    static void copy(const Rows& from, Rows& to, std::size_t rows) {
        std::copy_n(from.row(0), static_cast<Index>(rows) * from.stride(), to.row(0));
    }

    const Settings& settings_;
    Ranks ranks_;
    Topology topology_;
    Mesh mesh_;
    Problem problem_;
    Domain domain_;
    Halo halo_;
    Integrator integrator_;
    Judge judge_;
    State start_, end_;
};

double change_of_kept(const Settings& s, const Invariants& start, const Invariants& end) {
    const auto which = s.form == "energy" ? &Invariants::energy : &Invariants::enstrophy;
    return std::abs(end.*which / start.*which - 1);
}

/// Order of convergence by another integration of the first level: test 2 on the next coarser grid with twice the step,
/// test 5 with half the step.
Order order(const Settings& s, const Truths& truths, const Ranks& ranks) {
    Settings comparison = s;
    comparison.levels = 1;
    comparison.work = 1;
    if (s.test == 2) {
        comparison.grid = s.grid - 1;
        comparison.step = 2 * s.step;
        comparison.steps = s.steps / 2;
        comparison.partition = "rcb";
    } else {
        comparison.step = s.step / 2;
        comparison.steps = 2 * s.steps;
    }
    Program program(comparison, ranks, centres_on_all(comparison.grid, ranks));
    program.integrate();
    if (s.test == 2) return {std::log2(program.errors().front().l2 / truths.errors.front().l2), 1.7};
    return {std::log2(change_of_kept(s, truths.start.front(), truths.end.front()) /
                      change_of_kept(s, program.at_start().front(), program.at_end().front())),
            std::log2(10.0)};
}

Measured measure(const Run& run, const Ranks& ranks, std::vector<Vector3> centres) {
    const Settings& s = *run.settings;
    Program program(s, ranks, std::move(centres));
    Truths truths;
    truths.identities = program.identities();
    truths.start = program.at_start();
    std::vector<double> seconds;
    for (Index number = 0; number < s.tries; ++number) {
        MPI_Barrier(ranks.communicator);
        Stopwatch watch;
        program.integrate();
        seconds.push_back(slowest_s(watch.lap_s(), ranks));
        const std::vector<std::uint64_t> digests = program.digests();
        truths.repeats = truths.repeats && (number == 0 || digests == truths.digests);
        truths.digests = digests;
    }
    truths.end = program.at_end();
    truths.errors = program.errors();
    if (s.check_order) truths.order = order(s, truths, ranks);
    return {&run, Tries(std::move(seconds)), slowest(program.sections(), section_table, ranks), std::move(truths)};
}

/// Memory of a rank [B]: five states and rows of blocks for its cells, and the whole mesh.
double needed_bytes(const Settings& s, const Ranks& ranks) {
    const double share = static_cast<double>(cells_of(s.grid)) / ranks.count;
    return share * (5 * 4 * sizeof(double) * static_cast<double>(Rows::stride_for(s.levels)) + 1200) +
           300.0 * static_cast<double>(cells_of(s.grid));
}

ExitCode write_files(const Settings& s, const Ranks& ranks) {
    on_rank_0(ranks, [&] {
        const Topology topology(s.grid);
        if (!s.graph.empty()) write_graph(s.graph, topology);
        if (s.matrix.empty()) return;
        write_pattern(s, topology,
                      make_partition(s.partition, s.grid, s.matrix_ranks, [&] { return cached_centres(s.grid); }));
    });
    return success;
}

/// Refuses a partition that the mesh or the ranks do not fit, before anything is measured or printed.
void refuse_partition(const Settings& s, const Ranks& ranks) {
    if (s.partition == "rcb") return;
    on_rank_0(ranks, [&] { (void)make_partition(s.partition, s.grid, ranks.count, {}); });
}

ExitCode shallow_program(const Settings& settings, const Ranks& ranks) {
    if (!settings.matrix.empty() || !settings.graph.empty()) return write_files(settings, ranks);
    require_memory(needed_bytes(settings, ranks),
                   std::to_string(cells_of(settings.grid)) + " cells of " + std::to_string(settings.levels) + " levels",
                   "fewer levels or a coarser --grid", ranks);
    refuse_partition(settings, ranks);
    std::vector<Vector3> centres = centres_on_all(settings.grid, ranks);  // a damaged file is refused before any output
    Results results("shallow", columns, settings.json, ranks);
    const Index points = cells_of(settings.grid) / ranks.count * settings.levels * 4;
    const Run run{&settings, ranks.count, measure_limits<double>(points, ranks.communicator)};
    results.begin(description(run));
    const Measured measured = measure(run, ranks, std::move(centres));
    results.add(sample(measured));
    results.say(remarks(measured));
    return results.end();
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, shallow_program, columns); }
