#include "workloads/minife/report.hpp"

#include "workloads/common/sample.hpp"
#include "workloads/minife/assembly.hpp"
#include "workloads/minife/decomposition.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace waywiser::minife {
namespace {

struct Spread {
    double min;
    double average;
    double max;
    double sum;
};

Spread spread(const Run& run, double RankFigures::* figure) {
    Spread s{run.ranks[0].*figure, 0, run.ranks[0].*figure, 0};
    for (const RankFigures& rank : run.ranks) {
        s.min = std::min(s.min, rank.*figure);
        s.max = std::max(s.max, rank.*figure);
        s.sum += rank.*figure;
    }
    s.average = s.sum / static_cast<double>(run.ranks.size());
    return s;
}

Index total(const Run& run, double RankFigures::* figure) { return static_cast<Index>(spread(run, figure).sum); }

template <typename... Values>
std::string line(const char* format, Values... values) {
    std::array<char, 256> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, values...);
    return std::string(buffer.data()) + '\n';
}

std::string rate(Index amount, double seconds) {
    if (amount == 0 || !(seconds > 0)) return "-";
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.2f", static_cast<double>(amount) / seconds * 1e-9);
    return buffer.data();
}

std::vector<Index> of_all_ranks(const Run& run, double RankFigures::* figure) {
    std::vector<Index> values;
    values.reserve(run.ranks.size());
    for (const RankFigures& rank : run.ranks) values.push_back(static_cast<Index>(rank.*figure));
    return values;
}

double imbalance_percent(const Run& run, double RankFigures::* figure) {
    const Spread s = spread(run, figure);
    return 100 * (s.max / s.average - 1);
}

JsonObject parameters(const Run& run) {
    const Settings& s = run.settings;
    JsonObject object;
    return object.add("nx", s.elements[0])
        .add("ny", s.elements[1])
        .add("nz", s.elements[2])
        .add("load_imbalance_percent", s.load_imbalance_percent)
        .add("overlap", s.overlap)
        .add("tolerance", s.tolerance)
        .add("iteration_limit", s.iteration_limit)
        .add("fixed_iterations", s.fixed_iterations)
        .add("break_entry", s.break_entry)
        .add("iterations", run.iterations);
}

JsonObject details(const Run& run) {
    const Verification& v = run.verification;
    const Mesh mesh{run.settings.elements};
    JsonObject object;
    return object.add("residual_norm", run.residual_norm)
        .add("true_residual_norm", v.true_residual_norm)
        .add("right_side_norm", run.initial_norm)
        .add("centre", v.centre)
        .add("free_sum", v.free_sum)
        .add("free_norm", v.free_norm)
        .add("greatest_error", v.greatest_error)
        .add("error_allowed", v.error_allowed)
        .add("compared_nodes", v.compared_nodes)
        .add("failure", v.failure)
        .add("entries", mesh.entries())
        .add("element_imbalance_percent", imbalance_percent(run, &RankFigures::own_elements))
        .add("row_imbalance_percent", imbalance_percent(run, &RankFigures::rows))
        .add("neighbours_by_rank", of_all_ranks(run, &RankFigures::neighbours))
        .add("rows_by_rank", of_all_ranks(run, &RankFigures::rows))
        .add("elements_by_rank", of_all_ranks(run, &RankFigures::own_elements))
        .add("sent_nodes_by_rank", of_all_ranks(run, &RankFigures::sent_nodes));
}

/// How far from the analytic solution, where that was to be compared.
std::string solution_line(const Verification& v, bool fixed_iterations) {
    if (fixed_iterations) {
        return line(
            "solution    centre %.12f; not compared after a fixed number of iterations, matrix and residual are",
            v.centre);
    }
    if (v.compared_nodes == 0) {
        return line(
            "solution    centre %.12f; no node is far enough from the edges to compare, matrix and residual are",
            v.centre);
    }
    return line("solution    centre %.12f, greatest error %.3g of %.3g allowed over %lld nodes", v.centre,
                v.greatest_error, v.error_allowed, static_cast<long long>(v.compared_nodes));
}

}  // namespace

std::vector<Phase> phases(const Run& run) {
    using F = RankFigures;
    const Index ranks = static_cast<Index>(run.ranks.size());
    const Index rows = total(run, &F::rows);
    const Index entries = total(run, &F::entries);
    const Index halo = total(run, &F::halo_nodes);
    const Index k = run.iterations;
    // The exchange packs (row number and value read, value written) and unpacks in place; Allreduce moves 8 B a rank.
    const Index exchange_bytes = (k + 1) * (20 * total(run, &F::sent_nodes) + 8 * halo);
    return {
        {"memory", &F::memory_s, matrix_bytes(rows, entries), 0},
        {"structure", &F::structure_s, structure_bytes(rows, entries) + 8 * (ranks - 1), 0},
        {"assembly", &F::assembly_s, assembly_bytes(rows, entries), assembly_flops(total(run, &F::assembled_elements))},
        {"boundary", &F::boundary_s, 16 * total(run, &F::boundary_entries), 2 * total(run, &F::boundary_entries)},
        {"halo", &F::halo_s, 4 * total(run, &F::sent_nodes), 0},
        {"cg", &F::cg_s, cg_bytes(rows, halo, entries, k), cg_flops(rows, entries, k)},
        {"matvec", &F::matvec_s, (k + 1) * multiply_bytes(rows, halo, entries), (k + 1) * multiply_flops(entries)},
        {"exchange", &F::exchange_s, exchange_bytes, 0},
        {"dot", &F::dot_s, k * dot_bytes_per_iteration(rows) + 8 * rows, (2 * k + 1) * dot_flops(rows)},
        {"allreduce", &F::allreduce_s, Index{8} * ranks * (2 * k + 1), 0},
        {"update", &F::update_s, (3 * k + 1) * update_bytes(rows) + Index{48} * rows, (3 * k + 1) * update_flops(rows)},
    };
}

std::string summary(const Run& run) {
    const Settings& s = run.settings;
    const Verification& v = run.verification;
    const Mesh mesh{s.elements};
    std::string text = line("ww-minife: %lld x %lld x %lld elements, %lld rows, %lld entries, %zu rank(s)%s",
                            static_cast<long long>(s.elements[0]), static_cast<long long>(s.elements[1]),
                            static_cast<long long>(s.elements[2]), static_cast<long long>(mesh.rows()),
                            static_cast<long long>(mesh.entries()), run.ranks.size(), s.overlap ? ", overlapped" : "");
    text += line("%-11s %12s %12s %12s %10s %10s", "phase", "min s", "avg s", "max s", "GB/s", "GFLOP/s");
    for (const Phase& phase : phases(run)) {
        const Spread t = spread(run, phase.seconds);
        text += line("%-11s %12.6f %12.6f %12.6f %10s %10s", phase.name.c_str(), t.min, t.average, t.max,
                     rate(phase.bytes, t.max).c_str(), rate(phase.flops, t.max).c_str());
    }
    text += "  (cg consists of matvec, dot and update; matvec includes exchange, dot includes allreduce)\n";

    const Spread neighbours = spread(run, &RankFigures::neighbours);
    const double cg_s = spread(run, &RankFigures::cg_s).max;
    const double setup_s = spread(run, &RankFigures::structure_s).max + spread(run, &RankFigures::assembly_s).max +
                           spread(run, &RankFigures::boundary_s).max;
    const double elements = spread(run, &RankFigures::own_elements).sum;
    text += line("set-up      %.4f us per element (structure + assembly + boundary); first touch of its memory %.4f us",
                 1e6 * setup_s / elements, 1e6 * spread(run, &RankFigures::memory_s).max / elements);
    text += line("balance     elements %.2f %%, rows %.2f %% above average; neighbours %.0f to %.0f",
                 imbalance_percent(run, &RankFigures::own_elements), imbalance_percent(run, &RankFigures::rows),
                 neighbours.min, neighbours.max);
    text += line("cg          %lld iterations, ||r|| = %.6g (true %.6g, ||b|| = %.12g), %.6g s per iteration",
                 static_cast<long long>(run.iterations), run.residual_norm, v.true_residual_norm, run.initial_norm,
                 run.iterations > 0 ? cg_s / static_cast<double>(run.iterations) : 0.0);
    text += solution_line(v, run.settings.fixed_iterations);
    return text + (v.passed() ? "verified\n" : "NOT VERIFIED: " + v.failure + "\n");
}

void write_samples(const Run& run, JsonLines& lines) {
    for (const Phase& phase : phases(run)) {
        const Spread seconds = spread(run, phase.seconds);
        JsonObject more = phase.name == "cg" ? details(run) : JsonObject();
        more.add("seconds_min", seconds.min).add("seconds_average", seconds.average);
        lines.write(to_json({.workload = "minife",
                             .variant = run.settings.overlap ? "csr-overlap" : "csr",
                             .phase = phase.name,
                             .parameters = parameters(run),
                             .ranks = static_cast<int>(run.ranks.size()),
                             .threads = 1,
                             .seconds = seconds.max,
                             .bytes = phase.bytes,
                             .flops = phase.flops,
                             .points = Mesh{run.settings.elements}.rows(),
                             .error = run.verification.error,
                             .verified = run.verification.passed(),
                             .details = more}));
    }
}

}  // namespace waywiser::minife
