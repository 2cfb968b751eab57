// ww-minife: assemble a hexahedral finite-element problem and solve it by conjugate gradients, in MPI.
#include "base/error.hpp"
#include "base/json_lines.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/minife/assembly.hpp"
#include "workloads/minife/boundary.hpp"
#include "workloads/minife/decomposition.hpp"
#include "workloads/minife/matrix_free.hpp"
#include "workloads/minife/multigrid.hpp"
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

/// The matrix with its right side, and what each step took.
Csr assemble_matrix(const Settings& settings, const Layout& layout, RankFigures& figures) {
    Stopwatch watch;
    Csr matrix = allocate_matrix(layout);
    const Index rows = matrix.rows();
    const Index entries = matrix.entries();
    figures.memory.add(watch.lap_s(), {matrix_bytes(rows, entries), 0});
    generate_structure(layout, matrix);
    figures.structure.add(watch.lap_s(), {structure_bytes(rows, entries), 0});
    assemble(layout, matrix);
    const Index assembled = elements_to_assemble(layout).volume();
    figures.assembly.add(watch.lap_s(), {assembly_bytes(rows, entries), assembly_flops(assembled)});
    const Index visited = apply_boundary_conditions(layout, matrix);
    figures.boundary.add(watch.lap_s(), {16 * visited, 2 * visited});
    if (settings.break_entry) break_entry(layout, matrix);
    return matrix;
}

/// The right side alone, its matrix without entries.
Csr assemble_right_side(const Layout& layout, const ElementSums& sums, RankFigures& figures) {
    Stopwatch watch;
    Csr matrix;
    matrix.right_side = Array<double>(static_cast<std::size_t>(layout.rows()));
    matrix.right_side.touch_pages();
    figures.memory.add(watch.lap_s(), {8 * layout.rows(), 0});
    fill_right_side(layout, sums, matrix.right_side);
    figures.assembly.add(watch.lap_s(), {8 * layout.rows(), 0});
    return matrix;
}

/// Solves with the operator, form, precision and preconditioner that were asked for.
CgResult solve(const Settings& settings, Product<double>& a, const Csr& matrix, const Stencil<double>& stencil,
               std::span<const Box> owned, const Ranks& ranks, RankFigures& figures) {
    const CgStop stop{settings.tolerance, settings.iteration_limit, settings.fixed_iterations};
    Stopwatch watch;
    if (settings.multigrid) {
        const auto make = settings.mixed ? make_multigrid<float> : make_multigrid<double>;
        const std::unique_ptr<Preconditioner> m = make(a.layout().mesh, owned, ranks.communicator);
        figures.levels.add(watch.lap_s(), {});
        return solve_preconditioned(a, *m, matrix.right_side, stop, ranks.communicator);
    }
    if (!settings.mixed) return settings.cg->solve(a, matrix.right_side, stop, ranks.communicator);
    const auto rows = settings.matrix->in_single(a.layout(), matrix, stencil);
    const auto& neighbours = a.halo().neighbours();
    Halo<float> halo({neighbours.begin(), neighbours.end()}, a.layout(), ranks.communicator);
    Product<float> inner(a.layout(), a.layout().owned, *rows, halo, settings.overlap);
    if (settings.matrix->assembled) figures.convert.add(watch.lap_s(), {rows->matrix_bytes(), 0});
    return solve_mixed(a, inner, matrix.right_side, stop, ranks.communicator);
}

ExitCode run(const Settings& settings, const std::vector<Box>& boxes, const Ranks& ranks) {
    const Mesh mesh{settings.elements};
    std::optional<JsonLines> lines = open_json(settings, ranks);
    std::vector<Box> owned;
    owned.reserve(boxes.size());
    for (const Box& box : boxes) owned.push_back(mesh.owned_nodes(box));
    const Layout layout{mesh, owned[static_cast<std::size_t>(ranks.rank)]};
    RankFigures figures;

    MPI_Barrier(ranks.communicator);
    Stopwatch watch;
    Halo<double> halo(find_neighbours(mesh, owned, ranks.rank), layout, ranks.communicator);
    figures.halo.add(watch.lap_s(), {4 * (halo.sent_nodes() + halo.received_nodes()), 0});
    ElementSums sums = element_sums(mesh);
    if (settings.break_entry && !settings.matrix->assembled) break_entry(sums);
    const Csr matrix = settings.matrix->assembled ? assemble_matrix(settings, layout, figures)
                                                  : assemble_right_side(layout, sums, figures);
    watch.lap_s();
    const auto rows = settings.matrix->in_double(layout, matrix, sums.stencil);
    const bool in_rows = settings.matrix == &operator_variants().front();
    if (settings.matrix->assembled && !in_rows) figures.convert.add(watch.lap_s(), {rows->matrix_bytes(), 0});

    Product<double> a(layout, layout.owned, *rows, halo, settings.overlap);
    CgResult result = solve(settings, a, matrix, sums.stencil, owned, ranks, figures);
    figures.cg = result.accounts;
    figures.rows = static_cast<double>(matrix.rows());
    figures.sent_nodes = static_cast<double>(halo.sent_nodes());
    figures.neighbours = static_cast<double>(halo.neighbours().size());
    figures.own_elements = static_cast<double>(boxes[static_cast<std::size_t>(ranks.rank)].volume());

    const CgStop stop{settings.tolerance, settings.iteration_limit, settings.fixed_iterations};
    std::optional<MachineLimits> limits;
    if (settings.roofline && result.iterations > 0) {
        use_one_thread();
        limits = measure_limits<double>(layout.rows(), ranks.communicator);
    }
    Run all{.settings = settings,
            .ranks = std::vector<RankFigures>(ranks.rank == 0 ? static_cast<std::size_t>(ranks.count) : 0),
            .verification = verify(a, in_rows ? &matrix : nullptr, matrix.right_side, result, stop, ranks.communicator),
            .iterations = result.iterations,
            .initial_norm = result.initial_norm,
            .residual_norm = result.residual_norm,
            .limits = limits};
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
