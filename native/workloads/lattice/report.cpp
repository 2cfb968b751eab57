#include "workloads/lattice/report.hpp"

#include "workloads/common/bounds.hpp"
#include "workloads/common/threads.hpp"

namespace waywiser::lattice {
namespace {

/// Flops per site of a hop from all sites to all sites: 8 products of a link and two spins, 8 projections, 7 sums.
constexpr double hop_flops = 8 * 132 + 8 * 12 + 7 * 24;
/// Flops per site of an iteration: four hops from half of the sites to the others, M's sums, and the sums of conjugate
/// gradients.
constexpr double iteration_flops = 2 * hop_flops + 48 + 120;

constexpr double value_bytes = sizeof(double);

/// The traffic consists of links, and of spinors that are read once and written once by nontemporal stores.
Roofline roofline_of(const Measured& m) {
    return {.bytes_per_point = value_bytes * (directions * 6 * m.variant->rows + 2 * spinor_values),
            .flops_per_point = hop_flops,
            .like = MemoryBound::read};
}

bool is_hop(const Measured& m) { return m.iterations == 0; }

double sites(const Measured& m) { return static_cast<double>(product(m.run->settings->extents)); }

/// Sites per second, for hops or for all iterations.
double rate(const Measured& m) {
    return sites(m) * static_cast<double>(is_hop(m) ? 1 : m.iterations) / m.tries.median_s();
}

double flops(const Measured& m) { return is_hop(m) ? hop_flops : iteration_flops; }

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.run->settings;
    JsonObject object;
    for (std::size_t axis = 0; axis < axes; ++axis) object.add(std::string(1, "xyzt"[axis]), s.extents[axis]);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        object.add(std::string("p") + "xyzt"[axis], m.run->ranks[axis]);
    }
    return object.add("kappa", s.kappa)
        .add("gauge", s.gauge)
        .add("source", s.source)
        .add("seed", s.seed)
        .add("antiperiodic_t", s.antiperiodic)
        .add("tolerance", s.tolerance)
        .add("tries", s.tries);
}

JsonObject truths(const Truths& t, const Settings& s) {
    return {{"residual", t.residual},
            {"residual_allowed", allowed_residual(s)},
            {"hermiticity", t.hermiticity},
            {"plaquette", t.plaquette},
            {"plaquette_change", t.plaquette_change},
            {"plaquette_change_allowed", allowed_plaquette_change},
            {"covariance", t.covariance},
            {"plane_wave", t.plane_wave},
            {"error_allowed", allowed_error},
            {"eigenvalue", std::array{t.eigenvalue.real(), t.eigenvalue.imag()}},
            {"gauge", t.gauge},
            {"correlator", t.correlator},
            {"correlations", t.correlations}};
}

Metrics details(const Measured& m) {
    Metrics object{{"sites_per_s", rate(m)}, {"flops_per_s", rate(m) * flops(m)}, {"lanes", m.lanes}};
    if (is_hop(m)) {
        object.add("roofline", to_json(roofline_of(m), m.run->limits, rate(m)));
    } else {
        object.add("iterations", m.iterations)
            .add("normal_residual", m.solved.residual)
            .add("sections", to_json(m.sections, section_table));
    }
    return object.add("truths", truths(m.truths, *m.run->settings))
        .show("iterations_of_cg", is_hop(m) ? std::nullopt : std::optional(m.iterations))
        .show("residual_of_cg", is_hop(m) ? std::nullopt : std::optional(m.truths.residual));
}

std::string failure(const Measured& m) {
    const Settings& s = *m.run->settings;
    const Truths& t = m.truths;
    if (!m.solved.converged) {
        return text("%lld iterations leave a residual of %.2e, and %.0e was requested", m.solved.iterations,
                    m.solved.residual, s.tolerance);
    }
    return first_failure({
        {t.residual, allowed_residual(s), "the residual of the solution is %.2e, and may be %.1e"},
        {t.hermiticity, allowed_error, "gamma_5 D gamma_5 differs from the adjoint of D by %.2e, and may by %.0e"},
        {s.is_free() ? t.plaquette - 1 : 0, 0,
         "the mean plaquette of links of 1 differs from 1 by %.2e, and must not differ"},
        {t.plaquette_change, allowed_plaquette_change,
         "a gauge transform changes the mean plaquette by %.2e, and may by %.0e"},
        {t.covariance, allowed_error, "a gauge transform changes D by %.2e, and may by %.0e"},
        {t.plane_wave, allowed_error, "plane waves differ from eigenvectors by %.2e, and may by %.0e"},
        {t.gauge.value_or(0), allowed_gauge, "a gauge transform changes the solution by %.2e, and may by %.0e"},
        {t.correlator.value_or(0), allowed_correlator(s),
         "the correlator differs from the free one by %.2e, and may by %.1e"},
    });
}

}  // namespace

std::string description(const Run& run) {
    const Settings& s = *run.settings;
    return text("%s sites, kappa %g, %s links, %s source, %s rank(s) of %d thread(s)\n", product_text(s.extents),
                s.kappa, s.gauge, s.source, product_text(run.ranks), thread_limit()) +
           summary(run.limits);
}

Sample sample(const Measured& m) {
    const double points = sites(m) * static_cast<double>(is_hop(m) ? 1 : m.iterations);
    Sample sample{.variant = std::string(m.variant->name),
                  .phase = std::string(m.phase),
                  .parameters = parameters(m),
                  .bytes = is_hop(m) ? std::optional(static_cast<std::int64_t>(points * roofline_of(m).bytes_per_point))
                                     : std::nullopt,
                  .flops = static_cast<std::int64_t>(points * flops(m)),
                  .points = static_cast<std::int64_t>(points),
                  .error = m.truths.residual,
                  .failure = failure(m),
                  .details = details(m)};
    add_tries(sample, m.tries);
    return sample;
}

std::string remarks(const Measured& solution) {
    const Truths& t = solution.truths;
    std::string lines =
        shares(solution.sections, section_table) +
        text("NOTE hermiticity %.1e, gauge covariance %.1e, plane waves %.1e; lambda = %.16g + %.16g i\n",
             t.hermiticity, t.covariance, t.plane_wave, t.eigenvalue.real(), t.eigenvalue.imag());
    lines += text("NOTE mean plaquette %.16g, off by %.1e after a gauge transform\n", t.plaquette, t.plaquette_change);
    if (t.gauge) lines += text("NOTE solution after a gauge transform %.1e\n", *t.gauge);
    if (t.correlator) {
        lines += text("NOTE correlator %.17g, %.17g, ...: differs from the free one by %.1e\n", t.correlations[0],
                      t.correlations[1], *t.correlator);
    }
    return lines;
}

}  // namespace waywiser::lattice
