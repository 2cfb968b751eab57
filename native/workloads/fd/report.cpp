#include "workloads/fd/report.hpp"

#include "workloads/common/sample.hpp"
#include "workloads/common/text.hpp"

#include <algorithm>

namespace waywiser::fd {
namespace {

Index points(const Run& run) {
    const Index3& n = run.settings.points;
    return n[0] * n[1] * n[2];
}

Index bytes(const Run& run, const Measured& m) {
    return points(run) * stencil::values_per_point(m.operation.operation) * (run.settings.single() ? 4 : 8);
}

Index flops(const Run& run, const Measured& m) {
    return points(run) * stencil::flops_per_point(m.operation.operation, static_cast<int>(run.settings.order));
}

Index all_ranks(const Run& run) { return run.ranks[0] * run.ranks[1] * run.ranks[2]; }

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t n = values.size();
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

JsonObject parameters(const Run& run, const Measured& m) {
    const Settings& s = run.settings;
    JsonObject object;
    return object.add("operator", m.operation.name)
        .add("n1", s.points[0])
        .add("n2", s.points[1])
        .add("n3", s.points[2])
        .add("p1", run.ranks[0])
        .add("p2", run.ranks[1])
        .add("p3", run.ranks[2])
        .add("order", s.order)
        .add("precision", s.precision)
        .add("modes", std::span<const double>(s.modes))
        .add("amplitude", s.amplitude);
}

JsonObject details(const Run& run, const Measured& m, std::size_t i) {
    const Verdict& v = m.verdict;
    JsonObject object;
    return object.add("predicted_error", v.predicted)
        .add("error_allowed", v.error_allowed)
        .add("gap", v.gap)
        .add("gap_allowed", v.gap_allowed)
        .add("failure", v.failure())
        .add("registers", stencil::registers())
        .add("points_per_s", static_cast<double>(points(run)) / m.seconds[i])
        .add("copy_points_per_s", static_cast<double>(points(run)) / run.copy_s)
        .add("fraction_of_copy", run.copy_s / m.seconds[i])
        .add("exchange_s", m.exchange_s[i]);
}

std::string line_of(const Run& run, const Measured& m) {
    const double seconds = median(m.seconds);
    const auto rate = [&](Index amount) { return static_cast<double>(amount) / seconds * 1e-9; };
    return text("%-10s %-9s %11.6f %10.3f %10.2f %9.2f %9.2f %13.5e %13.5e\n", std::string(m.operation.name).c_str(),
                m.variant.c_str(), seconds, rate(points(run)), rate(flops(run, m)), rate(bytes(run, m)),
                run.copy_s / seconds, m.verdict.error, m.verdict.predicted);
}

}  // namespace

bool Run::verified() const {
    return std::ranges::all_of(measured, [](const Measured& m) { return m.verdict.failure().empty(); });
}

std::string summary(const Run& run) {
    const Settings& s = run.settings;
    const auto number = [](Index i) { return static_cast<long long>(i); };
    std::string said = text("ww-fd: %lld x %lld x %lld points, order %lld, %s, %lld rank(s) of %d thread(s), %s\n",
                            number(s.points[0]), number(s.points[1]), number(s.points[2]), number(s.order),
                            s.precision.c_str(), number(all_ranks(run)), run.threads,
                            std::string(stencil::registers()).c_str());
    said += text("half waves %g, %g, %g; bound: %.3f GPoint/s, a copy of the grid in this run\n", s.modes[0], s.modes[1],
                 s.modes[2], static_cast<double>(points(run)) / run.copy_s * 1e-9);
    said += text("%-10s %-9s %11s %10s %10s %9s %9s %13s %13s\n", "operator", "variant", "median s", "GPoint/s",
                 "GFLOP/s", "GB/s", "of bound", "error", "by theory");
    for (const Measured& m : run.measured) said += line_of(run, m);
    for (const Measured& m : run.measured) {
        if (m.verdict.failure().empty()) continue;
        return said + "NOT VERIFIED: " + std::string(m.operation.name) + ", " + m.variant + ": " + m.verdict.failure() +
               "\n";
    }
    return said + "verified\n";
}

void write_samples(const Run& run, JsonLines& lines) {
    for (const Measured& m : run.measured) {
        for (std::size_t i = 0; i < m.seconds.size(); ++i) {
            lines.write(to_json({.workload = "fd",
                                 .variant = m.variant,
                                 .phase = std::string(m.operation.name),
                                 .parameters = parameters(run, m),
                                 .ranks = static_cast<int>(all_ranks(run)),
                                 .threads = run.threads,
                                 .seconds = m.seconds[i],
                                 .bytes = bytes(run, m),
                                 .flops = flops(run, m),
                                 .points = points(run),
                                 .error = m.verdict.error,
                                 .verified = m.verdict.failure().empty(),
                                 .details = details(run, m, i)}));
        }
    }
}

}  // namespace waywiser::fd
