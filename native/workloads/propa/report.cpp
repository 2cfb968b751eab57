#include "workloads/propa/report.hpp"

#include "workloads/common/sample.hpp"
#include "workloads/common/text.hpp"
#include "workloads/stencil/stencil.hpp"

#include <algorithm>

namespace waywiser::propa {
namespace {

using stencil::Operator;

Index points(const Run& run) {
    const Index3& n = run.settings.points;
    return n[0] * n[1] * n[2];
}

Index point_steps(const Run& run) { return points(run) * run.settings.steps; }

Index bytes_per_point(const Run& run) {
    return stencil::values_per_point(Operator::leapfrog) * (run.settings.single() ? 4 : 8);
}

Index flops_per_point(const Run& run) {
    return stencil::flops_per_point(Operator::leapfrog, static_cast<int>(run.settings.order));
}

Index all_ranks(const Run& run) { return run.ranks[0] * run.ranks[1] * run.ranks[2]; }

/// Points per second, over those of the copy of the same run.
double fraction_of_copy(const Run& run, double seconds) {
    return run.copy_s * static_cast<double>(run.settings.steps) / seconds;
}

/// Tries of a variant together, variants in order of their first try.
std::vector<std::vector<const Try*>> by_variant(const Run& run) {
    std::vector<std::vector<const Try*>> groups;
    for (const Try& one : run.tries) {
        const auto same = [&](const auto& group) { return group.front()->variant == one.variant; };
        const auto found = std::ranges::find_if(groups, same);
        if (found == groups.end()) {
            groups.push_back({&one});
        } else {
            found->push_back(&one);
        }
    }
    return groups;
}

double median_s(std::vector<const Try*> tries) {
    std::ranges::sort(tries, {}, &Try::seconds);
    const std::size_t n = tries.size();
    return (tries[(n - 1) / 2]->seconds + tries[n / 2]->seconds) / 2;
}

JsonObject parameters(const Run& run) {
    const Settings& s = run.settings;
    JsonObject object;
    return object.add("n1", s.points[0])
        .add("n2", s.points[1])
        .add("n3", s.points[2])
        .add("p1", run.ranks[0])
        .add("p2", run.ranks[1])
        .add("p3", run.ranks[2])
        .add("order", s.order)
        .add("precision", s.precision)
        .add("steps", s.steps)
        .add("dt", s.dt)
        .add("longest_stable_dt", stencil::longest_stable_step(s.points, static_cast<int>(s.order)))
        .add("check_every", s.check_every)
        .add("modes", std::span<const Index>(s.modes))
        .add("boundary", s.boundary);
}

JsonObject details(const Run& run, const Try& one) {
    const Verdict& v = one.verdict;
    JsonObject object;
    return object.add("predicted_error", v.predicted())
        .add("error_allowed", v.error_allowed())
        .add("gap", v.gap())
        .add("gap_allowed", v.gap_allowed())
        .add("failure", v.failure())
        .add("registers", stencil::registers())
        .add("points_per_s", static_cast<double>(point_steps(run)) / one.seconds)
        .add("bytes_per_point", bytes_per_point(run))
        .add("flops_per_point", flops_per_point(run))
        .add("copy_points_per_s", static_cast<double>(points(run)) / run.copy_s)
        .add("fraction_of_copy", fraction_of_copy(run, one.seconds))
        .add("exchange_s", one.exchange_s)
        .add("exchanged_bytes", run.exchanged_points * run.settings.steps * (run.settings.single() ? 4 : 8));
}

std::string line_of(const Run& run, const std::vector<const Try*>& tries) {
    const double seconds = median_s(tries);
    const Verdict& v = tries.front()->verdict;
    const double rate = static_cast<double>(point_steps(run)) / seconds * 1e-9;
    return text("%-10s %11.6f %10.3f %10.2f %9.2f %9.2f %13.5e %13.5e\n", tries.front()->variant.c_str(), seconds, rate,
                rate * static_cast<double>(flops_per_point(run)), rate * static_cast<double>(bytes_per_point(run)),
                fraction_of_copy(run, seconds), v.error(), v.predicted());
}

}  // namespace

bool Run::verified() const {
    return std::ranges::all_of(tries, [](const Try& one) { return one.verdict.failure().empty(); });
}

std::string summary(const Run& run) {
    const Settings& s = run.settings;
    const auto number = [](Index i) { return static_cast<long long>(i); };
    std::string said = text("ww-propa: %lld x %lld x %lld points, order %lld, %s, %lld rank(s) of %d thread(s), %s\n",
                            number(s.points[0]), number(s.points[1]), number(s.points[2]), number(s.order),
                            s.precision.c_str(), number(all_ranks(run)), run.threads,
                            std::string(stencil::registers()).c_str());
    said += text("%lld steps of %.6g (longest stable %.6g), half waves %lld, %lld, %lld, boundary %s\n", number(s.steps),
                 s.dt, stencil::longest_stable_step(s.points, static_cast<int>(s.order)), number(s.modes[0]),
                 number(s.modes[1]), number(s.modes[2]), s.boundary.c_str());
    said += text("bound: %.3f GPoint/s, a leapfrog without neighbours at %lld B a point in this run\n",
                 static_cast<double>(points(run)) / run.copy_s * 1e-9, number(bytes_per_point(run)));
    said += text("%-10s %11s %10s %10s %9s %9s %13s %13s\n", "variant", "median s", "GPoint/s", "GFLOP/s", "GB/s",
                 "of bound", "error", "by theory");
    for (const auto& tries : by_variant(run)) said += line_of(run, tries);
    for (const Try& one : run.tries) {
        if (!one.verdict.failure().empty()) {
            return said + "NOT VERIFIED: " + one.variant + ": " + one.verdict.failure() + "\n";
        }
    }
    return said + "verified\n";
}

void write_samples(const Run& run, JsonLines& lines) {
    for (const Try& one : run.tries) {
        lines.write(to_json({.workload = "propa",
                             .variant = one.variant,
                             .phase = "propagation",
                             .parameters = parameters(run),
                             .ranks = static_cast<int>(all_ranks(run)),
                             .threads = run.threads,
                             .seconds = one.seconds,
                             .bytes = point_steps(run) * bytes_per_point(run),
                             .flops = point_steps(run) * flops_per_point(run),
                             .points = point_steps(run),
                             .error = one.verdict.error(),
                             .verified = one.verdict.failure().empty(),
                             .details = details(run, one)}));
    }
}

}  // namespace waywiser::propa
