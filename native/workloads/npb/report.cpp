#include "workloads/npb/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"

namespace waywiser::npb {
namespace {

/// Floating-point operations as NPB 3.4 counts them, irrespective of the operations that a variant executes.
double operations(const Settings& s) {
    const auto n = static_cast<double>(s.points);
    const double n2 = n * n;
    const double n3 = n2 * n;
    const double step = s.benchmark == "bt"   ? 3478.8 * n3 - 17655.7 * n2 + 28023.7 * n
                        : s.benchmark == "sp" ? 881.174 * n3 - 4683.91 * n2 + 11484.5 * n - 19272.4
                                              : 1984.77 * n3 - 10923.3 * n2 + 27770.9 * n - 144010;
    return static_cast<double>(s.iterations) * step;
}

double points_per_s(const Measured& m) {
    const auto n = static_cast<double>(m.settings->points);
    return n * n * n * static_cast<double>(m.settings->iterations) / m.tries.median_s();
}

/// Operations per point and step as NPB counts them, and approximately the least traffic if caches hold a few planes or
/// lines. The traffic is 120 B for rhs from u and the forcing, 120 B per sweep for u and rhs, and 40 B for u in LU.
/// SP's rows add 160 B.
Roofline roofline_of(const Settings& s) {
    const auto n = static_cast<double>(s.points);
    return {.bytes_per_point = s.benchmark == "bt"   ? 480.
                               : s.benchmark == "sp" ? 640.
                                                     : 400.,
            .flops_per_point = operations(s) / (n * n * n * static_cast<double>(s.iterations))};
}

std::optional<double> difference(const Measured& m) {
    if (!m.expected) return {};
    return difference(m.norms, *m.expected);
}

/// Reason why the result is not verified; empty if it is verified or was not compared. NaN is not within the tolerance.
std::string failure(const Measured& m) {
    if (!(m.apart.value_or(0) <= variants_tolerance))
        return "after 3 steps, the field differs from the first variant's by more than 1e-12";
    return difference(m).value_or(0) <= tolerance ? "" : "norms differ from the published ones by more than 1e-8";
}

std::string layout_text(const Partition& partition, int ranks) {
    const std::string boxes = product_text(partition.boxes_on_axes());
    if (!partition.multiple()) return text("%s rank(s) of %d thread(s)", boxes, thread_limit());
    return text("%d rank(s) of %d thread(s), in %s boxes", ranks, thread_limit(), boxes);
}

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.settings;
    const Index3& boxes = m.partition.boxes_on_axes();
    return {{"class", s.as_published ? s.problem_class : "none"},
            {"n1", s.points},
            {"iterations", s.iterations},
            {"dt", s.dt},
            {"decomposition", m.partition.name},
            {"messages", s.messages},
            {"p1", boxes[0]},
            {"p2", boxes[1]},
            {"p3", boxes[2]},
            {"tries", s.tries}};
}

Metrics details(const Measured& m) {
    Metrics object;
    if (m.limits) object.add("roofline", to_json(roofline_of(*m.settings), *m.limits, points_per_s(m)));
    return object.add("residual", std::span<const double>(m.norms.residual))
        .add("error", std::span<const double>(m.norms.error))
        .add("surface", m.norms.surface)
        .add("difference", difference(m))
        .add("difference_allowed", tolerance)
        .add("difference_of_variants", m.apart)
        .add("mops", 1e-6 * operations(*m.settings) / m.tries.median_s());
}

}  // namespace

std::string description(const Settings& s, const Partition& partition, int ranks) {
    return text("%s, class %s, %s points, %lld steps of %g on %s, %lld tries\n", s.benchmark,
                s.as_published ? s.problem_class : "none", product_text({s.points, s.points, s.points}), s.iterations,
                s.dt, layout_text(partition, ranks), s.tries);
}

std::string remark(const Measured& m) {
    if (!m.limits) return "";
    const Roofline roofline = roofline_of(*m.settings);
    return text("roofline    %.0f B and %.0f flops per point and step: %.2f of the machine's limit\n",
                roofline.bytes_per_point, roofline.flops_per_point,
                points_per_s(m) / bound_points_per_s(roofline, *m.limits)) +
           summary(*m.limits);
}

std::string unchecked(const Settings& s) {
    if (!s.as_published) return "values are published for whole classes: leave out --n1, --iterations and --dt";
    if (!published(s.benchmark, s.problem_class))
        return "this program has no published values of class " + s.problem_class;
    return "";
}

Sample sample(const Measured& m) {
    const Settings& s = *m.settings;
    Sample sample{.variant = std::string(m.variant),
                  .phase = s.benchmark,
                  .parameters = parameters(m),
                  .flops = static_cast<std::int64_t>(operations(s)),
                  .points = s.points * s.points * s.points * s.iterations,
                  .error = difference(m),
                  .failure = m.expected || m.apart ? std::optional(failure(m)) : std::nullopt,
                  .details = details(m)};
    add_tries(sample, m.tries);
    return sample;
}

}  // namespace waywiser::npb
