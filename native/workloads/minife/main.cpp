// ww-minife: assemble a hexahedral finite-element problem and solve it by conjugate gradients, in MPI.
#include "base/error.hpp"
#include "base/json_lines.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/minife/assembly.hpp"
#include "workloads/minife/boundary.hpp"
#include "workloads/minife/decomposition.hpp"
#include "workloads/minife/report.hpp"

#include <mpi.h>

#include <cstdio>
#include <limits>
#include <optional>

namespace {

using namespace waywiser;
using namespace waywiser::minife;

enum ExitCode { success = 0, unverified = 1, refused = 2 };

struct Ranks {
    MPI_Comm communicator;
    int rank;
    int count;
};

/// Local column numbers have 32 bits; every rank checks all boxes, so that all come to the same conclusion.
void require_local_numbers(const Mesh& mesh, std::span<const Box> boxes) {
    for (const Box& box : boxes) {
        const Index columns = mesh.with_neighbours(mesh.owned_nodes(box)).volume();
        require(columns <= std::numeric_limits<std::int32_t>::max(),
                "a rank would have " + std::to_string(columns) +
                    " rows, and a local row number ends at 2147483647: " + "give more ranks");
    }
}

/// Rank 0 opens the file before the work, and tells the others whether to go on.
std::optional<JsonLines> open_json(const Settings& settings, const Ranks& ranks) {
    std::optional<JsonLines> lines;
    std::string refusal;
    int opened = 1;
    if (ranks.rank == 0 && !settings.json.empty()) {
        try {
            lines.emplace(settings.json);
        } catch (const InvalidInput& error) {
            refusal = error.what();
            opened = 0;
        }
    }
    MPI_Bcast(&opened, 1, MPI_INT, 0, ranks.communicator);
    require(opened != 0, refusal);
    return lines;
}

ExitCode run(const Settings& settings, const std::vector<Box>& boxes, const Ranks& ranks) {
    const Mesh mesh{settings.elements};
    std::optional<JsonLines> lines = open_json(settings, ranks);
    const Layout layout{mesh, mesh.owned_nodes(boxes[static_cast<std::size_t>(ranks.rank)])};
    RankFigures figures;

    MPI_Barrier(ranks.communicator);
    Stopwatch watch;
    Halo halo(find_neighbours(mesh, boxes, ranks.rank), layout.owned, ranks.communicator);
    RowSplit split = split_rows(layout);
    figures.halo_s = watch.lap_s();
    Csr matrix = allocate_matrix(layout);
    figures.memory_s = watch.lap_s();
    generate_structure(layout, halo.neighbours(), matrix);
    figures.structure_s = watch.lap_s();
    assemble(layout, matrix);
    figures.assembly_s = watch.lap_s();
    const Index boundary_entries = apply_boundary_conditions(layout, matrix);
    figures.boundary_s = watch.lap_s();
    if (settings.break_entry) break_entry(layout, matrix);

    const CgStop stop{settings.tolerance, settings.iteration_limit, settings.fixed_iterations};
    Operator a(matrix, halo, std::move(split), settings.overlap);
    CgResult result = solve(a, matrix.right_side, halo.received_nodes(), stop, ranks.communicator);
    figures.cg_s = result.times.total_s;
    figures.matvec_s = result.times.matvec_s;
    figures.exchange_s = result.times.exchange_s;
    figures.dot_s = result.times.dot_s;
    figures.allreduce_s = result.times.allreduce_s;
    figures.update_s = result.times.update_s;
    figures.rows = static_cast<double>(matrix.rows());
    figures.entries = static_cast<double>(matrix.entries());
    figures.halo_nodes = static_cast<double>(halo.received_nodes());
    figures.sent_nodes = static_cast<double>(halo.sent_nodes());
    figures.neighbours = static_cast<double>(halo.neighbours().size());
    figures.own_elements = static_cast<double>(boxes[static_cast<std::size_t>(ranks.rank)].volume());
    figures.assembled_elements = static_cast<double>(elements_to_assemble(layout).volume());
    figures.boundary_entries = static_cast<double>(boundary_entries);

    Run all{.settings = settings,
            .ranks = std::vector<RankFigures>(ranks.rank == 0 ? static_cast<std::size_t>(ranks.count) : 0),
            .verification = verify(layout, matrix, halo, result, stop, ranks.communicator),
            .iterations = result.iterations,
            .initial_norm = result.initial_norm,
            .residual_norm = result.residual_norm};
    constexpr int doubles = sizeof(RankFigures) / sizeof(double);
    MPI_Gather(&figures, doubles, MPI_DOUBLE, all.ranks.data(), doubles, MPI_DOUBLE, 0, ranks.communicator);
    if (ranks.rank == 0) {
        std::fputs(summary(all).c_str(), stdout);
        if (lines) write_samples(all, *lines);
    }
    return all.verification.passed() ? success : unverified;
}

/// A refusal is the same on all ranks, since all see the same command line; rank 0 says why.
ExitCode guarded(std::span<const char* const> arguments, const Ranks& ranks) {
    try {
        const Settings settings = read_settings(arguments);
        if (settings.help) {
            if (ranks.rank == 0) std::fputs(help_text().c_str(), stdout);
            return success;
        }
        const std::vector<Box> boxes = decompose(settings.elements, ranks.count, settings.load_imbalance_percent);
        require_local_numbers(Mesh{settings.elements}, boxes);
        return run(settings, boxes, ranks);
    } catch (const InvalidInput& error) {
        if (ranks.rank == 0) std::fprintf(stderr, "ww-minife: %s\n", error.what());
        return refused;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Ranks ranks{MPI_COMM_WORLD, 0, 1};
    MPI_Comm_rank(ranks.communicator, &ranks.rank);
    MPI_Comm_size(ranks.communicator, &ranks.count);
    ExitCode code = success;
    try {
        code = guarded({argv + 1, static_cast<std::size_t>(argc - 1)}, ranks);
    } catch (const std::exception& error) {  // out of memory: the others wait for this rank
        std::fprintf(stderr, "ww-minife: rank %d: %s\n", ranks.rank, error.what());
        MPI_Abort(ranks.communicator, unverified);
    }
    MPI_Finalize();
    return code;
}
