#include "workloads/rupture/report.hpp"

#include "base/error.hpp"
#include "workloads/common/peak.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/version.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace waywiser::rupture {
namespace {

/// Amount by which the observed order of a smooth solution may fall below the scheme's order on coarse meshes.
constexpr double order_slack = 0.4;
/// Error that rounding alone may cause in a solution of size 1.
double rounding_of(const Run& run) { return run.settings.precision == "fp32" ? 2e-5 : 1e-11; }
/// Between two outputs, energy may grow by at most the work of the fault in this time, plus this fraction of the
/// fault's total work.
constexpr double energy_slack = 0.02;

/// Hardware operations per update in SeisSol 1.3.2, orders 2 to 6, as its code generator counts them: double precision
/// with AVX-512.
constexpr std::array<double, 5> seissol_flops{23094, 50868, 154818, 326385, 741924};

double total_J(const Energies& e) { return e.elastic_J + e.kinetic_J; }

std::string energy_failure(const Run& run) {
    for (std::size_t i = 0; i < run.energies.size(); ++i) {
        const Energies& now = run.energies[i];
        if (!std::isfinite(total_J(now)) || !std::isfinite(now.work_J)) {
            return text("the energy at %g s is not finite", now.time_s);
        }
        if (i == 0) continue;
        const Energies& before = run.energies[i - 1];
        const double grown = total_J(now) - total_J(before);
        const double work = now.work_J - before.work_J;
        if (grown > work + energy_slack * now.work_J) {
            return text("from %g to %g s the energy grows by %.4g J, and the fault gives %.4g J", before.time_s,
                        now.time_s, grown, work);
        }
    }
    return "";
}

std::string order_failure(const Run& run) {
    const double order = static_cast<double>(run.settings.order);
    const double allowed = run.coarse_error * std::pow(0.5, order - order_slack) + rounding_of(run);
    if (run.error <= allowed) return "";
    return text("the error is %.3e on %lld cubes and %.3e on half as many; by order %g it would be at most %.3e",
                run.error, run.settings.cells, run.coarse_error, order, allowed);
}

JsonObject parameters(const Run& run) {
    const Settings& s = run.settings;
    JsonObject object{{"case", s.name}, {"order", s.order}, {"precision", s.precision}};
    if (s.rupture() && s.mesh.empty()) {
        object.add("spacing_m", s.spacing_m).add("growth", s.growth).add("reach_m", s.reach_m);
    } else if (s.rupture()) {
        object.add("mesh", s.mesh);
    } else {
        object.add("cells", s.cells);
    }
    if (!s.rupture() && s.stretch > 0) object.add("stretch", s.stretch);
    return object.add("end_s", run.end_s).add("cfl", s.cfl).add("lts", s.lts).add("comm_thread", s.comm_thread);
}

Metrics metrics(const Energies& e) {
    return {{"time_s", e.time_s}, {"elastic_J", e.elastic_J}, {"kinetic_J", e.kinetic_J},
            {"work_J", e.work_J}, {"moment_Nm", e.moment_Nm}, {"predicted_work_J", e.predicted_work_J}};
}

Metrics metrics(const Arrival& a) {
    return {{"x_m", a.station[0]},
            {"depth_m", -a.station[2]},
            {"distance_m", a.distance_m},
            {"rupture_time_s", a.rupture_time_s < 0 ? std::optional<double>() : a.rupture_time_s},
            {"slip_m", a.slip_m},
            {"peak_rate_mps", a.peak_rate_mps}};
}

template <class Entry>
std::vector<Metrics> all_metrics(const std::vector<Entry>& entries) {
    std::vector<Metrics> all;
    for (const Entry& entry : entries) all.push_back(metrics(entry));
    return all;
}

template <class Entry>
std::vector<JsonObject> all_to_json(const std::vector<Entry>& entries) {
    std::vector<JsonObject> objects;
    for (const Entry& entry : entries) objects.push_back(metrics(entry).json());
    return objects;
}

/// Data for the report's plots.
JsonObject outputs(const Run& run) {
    const Settings& s = run.settings;
    return {{"fault", s.fault_csv},           {"fault_map", s.fault_map()}, {"snapshots", s.snapshots},
            {"snapshots_s", run.snapshots_s}, {"traces", s.traces},         {"fault_traces", s.fault_traces}};
}

JsonObject details(const Run& run) {
    JsonObject phases{{"predict_s", run.times.predict_s},
                      {"correct_s", run.times.correct_s},
                      {"fault_s", run.times.fault_s},
                      {"exchange_s", run.times.exchange_s}};
    const double rate = static_cast<double>(run.updates()) / run.seconds;
    JsonObject object{{"failure", run.failure()},
                      {"cells", run.cells},
                      {"fault_faces", run.fault_faces},
                      {"steps", run.steps},
                      {"dt_s", run.dt},
                      {"clusters", std::span<const std::int64_t>(run.clusters)},
                      {"updates", run.updates()},
                      {"possible_gain", run.possible_gain()},
                      {"updates_per_s", rate},
                      {"flops_per_update", run.flops_per_update},
                      {"seissol_flops_per_update", seissol_flops[static_cast<std::size_t>(run.settings.order) - 2]},
                      {"bytes_per_cell", run.bytes_per_cell},
                      {"exchanged_bytes", run.exchanged_bytes},
                      {"instructions", multiply_add_instructions()},
                      {"peak_flops_per_s", run.peak_flops_per_s},
                      {"fraction_of_peak", rate * run.flops_per_update / run.peak_flops_per_s},
                      {"phases", phases},
                      {"outputs", outputs(run)}};
    if (!run.settings.rupture()) {
        return object.add("coarse_error", run.coarse_error).add("observed_order", run.observed_order());
    }
    const std::vector<JsonObject> energies = all_to_json(run.energies);
    const std::vector<JsonObject> arrivals = all_to_json(run.arrivals);
    return object.add("restarted_s", run.restarted_s)
        .add("energies", std::span<const JsonObject>(energies))
        .add("arrivals", std::span<const JsonObject>(arrivals));
}

std::string cluster_line(const Run& run) {
    if (run.clusters.size() == 1) return "";
    std::string lines = "cells in clusters of 1, 2, 4 ... such steps:";
    for (const std::int64_t cells : run.clusters) lines += text(" %lld", cells);
    return lines +
           text("; %lld updates, global steps would need %.3g times as many\n", run.updates(), run.possible_gain());
}

std::string closed_form_lines(const Run& run) {
    return text("error %.4e, on half as many cubes %.4e: order %.2f\n", run.error, run.coarse_error,
                run.observed_order());
}

std::string rupture_lines(const Run& run) {
    return table(energy_columns, all_metrics(run.energies)) + table(arrival_columns, all_metrics(run.arrivals));
}

std::ofstream open(const std::string& path) {
    std::ofstream file(path);
    require(file.is_open(), "cannot write '" + path + "'");
    file.precision(9);
    return file;
}

}  // namespace

std::int64_t Run::updates() const {
    std::int64_t sum = 0;
    for (std::size_t l = 0; l < clusters.size(); ++l) sum += clusters[l] * (steps >> l);
    return sum;
}

double Run::possible_gain() const { return static_cast<double>(cells * steps) / static_cast<double>(updates()); }

double Run::observed_order() const { return std::log2(coarse_error / error); }

std::string Run::failure() const { return settings.rupture() ? energy_failure(*this) : order_failure(*this); }

std::string summary(const Run& run) {
    const Settings& s = run.settings;
    std::string lines = report_title("ww-rupture") +
                        text("%s, order %lld, %s, %lld cells, %lld fault faces, %d rank(s) of %d thread(s)\n", s.name,
                             s.order, s.precision, run.cells, run.fault_faces, run.ranks, thread_limit());
    lines += text("%lld steps of %.6g s to %g s, %.0f B a cell\n", run.steps, run.dt, run.end_s, run.bytes_per_cell);
    lines += cluster_line(run);
    const double rate = static_cast<double>(run.updates()) / run.seconds;
    lines += text("%.3f s, %.4g cell updates/s, %.2f GFLOP/s of %.2f that multiply-adds reach (%s)\n", run.seconds,
                  rate, rate * run.flops_per_update * 1e-9, run.peak_flops_per_s * 1e-9, multiply_add_instructions());
    lines += text("predict %.3f s, correct %.3f s, fault %.3f s, exchange %.3f s\n", run.times.predict_s,
                  run.times.correct_s, run.times.fault_s, run.times.exchange_s);
    lines += s.rupture() ? rupture_lines(run) : closed_form_lines(run);
    const std::string failure = run.failure();
    return lines + (failure.empty() ? "verified\n" : "NOT VERIFIED: " + failure + "\n");
}

Sample sample(const Run& run) {
    const auto updates = static_cast<double>(run.updates());
    return {.variant = run.settings.local() ? "local" : "global",
            .phase = "steps",
            .parameters = parameters(run),
            .seconds = run.seconds,
            .bytes = std::llround(updates * run.bytes_per_update),
            .flops = std::llround(updates * run.flops_per_update),
            .points = run.updates(),
            .error = run.settings.rupture() ? std::nullopt : std::optional<double>(run.error),
            .failure = run.failure(),
            .details = details(run)};
}

void write_energies(const Run& run) {
    std::ofstream file = open(run.settings.energies_csv);
    file << "time_s,elastic_J,kinetic_J,work_J,moment_Nm,predicted_work_J\n";
    for (const Energies& e : run.energies) {
        file << e.time_s << ',' << e.elastic_J << ',' << e.kinetic_J << ',' << e.work_J << ',' << e.moment_Nm << ','
             << e.predicted_work_J << '\n';
    }
}

void write_fault(const std::string& path, const std::vector<FaultPoint>& points) {
    std::ofstream file = open(path);
    file << "x_m,y_m,z_m,rupture_time_s,slip_m,peak_rate_mps\n";
    for (const FaultPoint& p : points) {
        file << p.at[0] << ',' << p.at[1] << ',' << p.at[2] << ',';
        if (p.rupture_time_s >= 0) file << p.rupture_time_s;
        file << ',' << p.slip_m << ',' << p.peak_rate_mps << '\n';
    }
}

}  // namespace waywiser::rupture
