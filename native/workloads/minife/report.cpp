#include "workloads/minife/report.hpp"

#include "workloads/common/sample.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/version.hpp"
#include "workloads/minife/decomposition.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace waywiser::minife {
namespace {

struct Spread {
    double min;
    double average;
    double max;
    double sum;
};

/// \param metric  metric of one rank: a member of RankMetrics, or a function that returns the number
template <typename Metric>
Spread spread(const Run& run, Metric metric) {
    const double first = std::invoke(metric, run.ranks[0]);
    Spread s{first, 0, first, 0};
    for (const RankMetrics& rank : run.ranks) {
        const double value = std::invoke(metric, rank);
        s.min = std::min(s.min, value);
        s.max = std::max(s.max, value);
        s.sum += value;
    }
    s.average = s.sum / static_cast<double>(run.ranks.size());
    return s;
}

using AccountOf = const Account& (*)(const RankMetrics& rank);

/// One phase of the run, with the time of the slowest rank and the work of all.
struct Phase {
    const char* name;
    AccountOf account;
};

constexpr Phase all_phases[] = {
    {"memory", [](const RankMetrics& r) -> const Account& { return r.memory; }},
    {"structure", [](const RankMetrics& r) -> const Account& { return r.structure; }},
    {"assembly", [](const RankMetrics& r) -> const Account& { return r.assembly; }},
    {"boundary", [](const RankMetrics& r) -> const Account& { return r.boundary; }},
    {"convert", [](const RankMetrics& r) -> const Account& { return r.convert; }},
    {"halo", [](const RankMetrics& r) -> const Account& { return r.halo; }},
    {"levels", [](const RankMetrics& r) -> const Account& { return r.levels; }},
    {"cg", [](const RankMetrics& r) -> const Account& { return r.cg.total; }},
    {"matvec", [](const RankMetrics& r) -> const Account& { return r.cg.matvec; }},
    {"exchange", [](const RankMetrics& r) -> const Account& { return r.cg.exchange; }},
    {"dot", [](const RankMetrics& r) -> const Account& { return r.cg.dot; }},
    {"allreduce", [](const RankMetrics& r) -> const Account& { return r.cg.allreduce; }},
    {"update", [](const RankMetrics& r) -> const Account& { return r.cg.update; }},
    {"precondition", [](const RankMetrics& r) -> const Account& { return r.cg.preconditioner; }},
};

Spread seconds(const Run& run, const Phase& phase) {
    return spread(run, [&](const RankMetrics& rank) { return phase.account(rank).seconds; });
}
Index bytes(const Run& run, const Phase& phase) {
    return static_cast<Index>(spread(run, [&](const RankMetrics& rank) { return phase.account(rank).bytes; }).sum);
}
Index flops(const Run& run, const Phase& phase) {
    return static_cast<Index>(spread(run, [&](const RankMetrics& rank) { return phase.account(rank).flops; }).sum);
}

/// The phases of this variant.
std::vector<Phase> phases(const Run& run) {
    std::vector<Phase> result;
    for (const Phase& phase : all_phases) {
        if (seconds(run, phase).max > 0) result.push_back(phase);
    }
    return result;
}

double greatest_s(const Run& run, std::string_view name) {
    for (const Phase& phase : all_phases) {
        if (phase.name == name) return seconds(run, phase).max;
    }
    return 0;
}

/// The amount if the phase has any.
std::optional<Index> some(Index amount) { return amount == 0 ? std::nullopt : std::optional(amount); }

std::vector<Index> of_all_ranks(const Run& run, double RankMetrics::* metric) {
    std::vector<Index> values;
    values.reserve(run.ranks.size());
    for (const RankMetrics& rank : run.ranks) values.push_back(static_cast<Index>(rank.*metric));
    return values;
}

double imbalance_percent(const Run& run, double RankMetrics::* metric) {
    const Spread s = spread(run, metric);
    return 100 * (s.max / s.average - 1);
}

JsonObject parameters(const Run& run) {
    const Settings& s = run.settings;
    return {{"nx", s.elements[0]},
            {"ny", s.elements[1]},
            {"nz", s.elements[2]},
            {"load_imbalance_percent", s.load_imbalance_percent},
            {"operator", s.matrix->name},
            {"cg", s.cg->name},
            {"precision", s.mixed() ? "mixed" : "double"},
            {"preconditioner", s.multigrid() ? "multigrid" : "none"},
            {"overlap", s.overlap},
            {"tolerance", s.tolerance},
            {"iteration_limit", s.iteration_limit},
            {"fixed_iterations", s.fixed_iterations},
            {"break_entry", s.break_entry},
            {"iterations", run.iterations}};
}

JsonObject details(const Run& run) {
    const Verification& v = run.verification;
    const Mesh mesh{run.settings.elements};
    return {{"residual_norm", run.residual_norm},
            {"true_residual_norm", v.true_residual_norm},
            {"right_side_norm", run.initial_norm},
            {"centre", v.centre},
            {"free_sum", v.free_sum},
            {"free_norm", v.free_norm},
            {"greatest_error", v.greatest_error},
            {"error_allowed", v.error_allowed},
            {"compared_nodes", v.compared_nodes},
            {"failure", v.failure},
            {"entries", mesh.entries()},
            {"element_imbalance_percent", imbalance_percent(run, &RankMetrics::own_elements)},
            {"row_imbalance_percent", imbalance_percent(run, &RankMetrics::rows)},
            {"neighbours_by_rank", of_all_ranks(run, &RankMetrics::neighbours)},
            {"rows_by_rank", of_all_ranks(run, &RankMetrics::rows)},
            {"elements_by_rank", of_all_ranks(run, &RankMetrics::own_elements)},
            {"sent_nodes_by_rank", of_all_ranks(run, &RankMetrics::sent_nodes)}};
}

/// Points are rows times iterations.
double points(const Run& run) {
    return static_cast<double>(Mesh{run.settings.elements}.rows()) * static_cast<double>(run.iterations);
}

/// Roofline of the conjugate gradients.
Roofline roofline_of(const Run& run) {
    return {.bytes_per_point = spread(run, [](const RankMetrics& r) { return r.cg.total.bytes; }).sum / points(run),
            .flops_per_point = spread(run, [](const RankMetrics& r) { return r.cg.total.flops; }).sum / points(run)};
}

/// The distance from the analytic solution, if it was compared.
std::string solution_line(const Verification& v, bool fixed_iterations) {
    if (fixed_iterations) {
        return text(
            "solution    centre %.12f; not compared after a fixed number of iterations, matrix and residual are\n",
            v.centre);
    }
    if (v.compared_nodes == 0) {
        return text(
            "solution    centre %.12f; no node is far enough from the edges to compare, matrix and residual are\n",
            v.centre);
    }
    return text("solution    centre %.12f, greatest error %.3g of %.3g allowed over %lld nodes\n", v.centre,
                v.greatest_error, v.error_allowed, v.compared_nodes);
}

}  // namespace

std::string summary(const Run& run, const std::vector<Sample>& phases) {
    const Settings& s = run.settings;
    const Verification& v = run.verification;
    const Mesh mesh{s.elements};
    std::string lines =
        report_title("ww-minife") +
        text("%lld x %lld x %lld elements, %lld rows, %lld entries, %zu rank(s) of %d thread(s), %s\n", s.elements[0],
             s.elements[1], s.elements[2], mesh.rows(), mesh.entries(), run.ranks.size(), thread_limit(), s.variant());
    lines +=
        table(phase_columns, phases) +
        "  (cg consists of matvec, dot, update and precondition; exchange is in matvec or update, allreduce in dot)\n";

    const Spread neighbours = spread(run, &RankMetrics::neighbours);
    const double cg_s = greatest_s(run, "cg");
    double setup_s = 0;
    for (const char* phase : {"structure", "assembly", "boundary", "convert", "levels"}) {
        setup_s += greatest_s(run, phase);
    }
    const double elements = spread(run, &RankMetrics::own_elements).sum;
    lines += text("set-up      %.4f us per element (from structure to levels); first touch of its memory %.4f us\n",
                  1e6 * setup_s / elements, 1e6 * greatest_s(run, "memory") / elements);
    lines += text("balance     elements %.2f %%, rows %.2f %% above average; neighbours %.0f to %.0f\n",
                  imbalance_percent(run, &RankMetrics::own_elements), imbalance_percent(run, &RankMetrics::rows),
                  neighbours.min, neighbours.max);
    lines += text("cg          %lld iterations, ||r|| = %.6g (true %.6g, ||b|| = %.12g), %.6g s per iteration\n",
                  run.iterations, run.residual_norm, v.true_residual_norm, run.initial_norm,
                  run.iterations > 0 ? cg_s / static_cast<double>(run.iterations) : 0.0);
    if (run.limits) {
        const Roofline roofline = roofline_of(run);
        lines +=
            text("roofline    %.0f B and %.0f flops per row and iteration: %.2f of what the triad's bandwidth allows\n",
                 roofline.bytes_per_point, roofline.flops_per_point,
                 points(run) / cg_s / bound_points_per_s(roofline, *run.limits));
        lines += summary(*run.limits);
    }
    lines += solution_line(v, run.settings.fixed_iterations);
    return lines + (v.passed() ? "verified\n" : "NOT VERIFIED: " + v.failure + "\n");
}

Sample solution(const std::vector<Sample>& phases) { return *std::ranges::find(phases, "cg", &Sample::phase); }

std::vector<Sample> samples(const Run& run) {
    std::vector<Sample> all;
    for (const Phase& phase : phases(run)) {
        const Spread time = seconds(run, phase);
        const bool solving = std::string_view(phase.name) == "cg";
        Metrics more = solving ? details(run) : JsonObject();
        if (run.limits && solving) {
            more.add("roofline", to_json(roofline_of(run), *run.limits, points(run) / time.max));
        }
        const Index moved = bytes(run, phase);
        const Index operations = flops(run, phase);
        const auto iterations = static_cast<double>(std::max<Index>(1, run.iterations));
        const Index rows = Mesh{run.settings.elements}.rows();
        more.add("seconds_min", time.min)
            .add("seconds_average", time.average)
            .show("traffic", some(moved))
            .show("operations", some(operations))
            .show("iterations", run.iterations)
            .show("iteration_s", time.max / iterations)
            .show("row_bytes", static_cast<double>(moved) / iterations / static_cast<double>(rows));
        all.push_back({.variant = run.settings.variant(),
                       .phase = phase.name,
                       .parameters = parameters(run),
                       .seconds = time.max,
                       .bytes = moved,
                       .flops = operations,
                       .points = rows,
                       .error = run.verification.error,
                       .failure = run.verification.failure,
                       .details = more});
    }
    return all;
}

}  // namespace waywiser::minife
