#include "workloads/shallow/report.hpp"

#include "workloads/common/bounds.hpp"
#include "workloads/common/threads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waywiser::shallow {
namespace {

/// Values of four stages that move to and from memory, for one cell and its three edges. A stage reads the state, the
/// preceding stage and, at the end of a step, all stages. Writes include a write-allocate unless the values were read.
constexpr double step_values = 4 * (3 + 4 + 4 + 5);
/// Bytes of the mesh's rows that a stage reads for a cell, its three edges and its two vertices, once for all levels.
constexpr double mesh_bytes = sizeof(CellRow) + 3 * sizeof(EdgeRow) + 2 * sizeof(VorticityRow);
/// Flops of a stage: the potential vorticity of two vertices, the contributions of a hexagon to six edges, the
/// differences at three edges, and the update of four values.
constexpr double stage_flops = 2 * 12 + 137 + 3 * 2 + 4 * 2;

/// Errors of test 2 after 12 days with the energy form: l2 of the thickness and of the velocity.
struct Known {
    Index grid;
    double step, angle, l2, velocity;
};
constexpr Known known[] = {{3, 1800, 0, 4.179e-3, 3.364e-2},
                           {4, 900, 0, 1.065e-3, 8.128e-3},
                           {3, 1800, 45, 2.442e-3, 2.433e-2},
                           {4, 900, 45, 6.032e-4, 5.954e-3}};
constexpr double known_within = 0.1;

double value_of(Index number) { return static_cast<double>(number); }

double points(const Measured& m) {
    const Settings& s = *m.run->settings;
    return value_of(cells_of(s.grid)) * value_of(s.levels) * value_of(s.steps);
}

double rate(const Measured& m) { return points(m) / m.tries.median_s(); }

double flops(const Measured& m) { return stages * stage_flops * value_of(m.run->settings->work); }

Roofline roofline_of(const Measured& m) {
    const Settings& s = *m.run->settings;
    return {.bytes_per_point = step_values * sizeof(double) + stages * mesh_bytes / value_of(s.levels),
            .flops_per_point = flops(m),
            .like = MemoryBound::triad};
}

const Known* known_of(const Settings& s) {
    for (const Known& candidate : known) {
        if (s.test == 2 && s.form == "energy" && s.grid == candidate.grid && s.step == candidate.step &&
            s.angle == candidate.angle && s.days == 12 && s.first_level == 0) {
            return &candidate;
        }
    }
    return nullptr;
}

/// Four times the error of test 2 after 12 days, for a convergence order of 1.7.
double allowed_error(const Settings& s) { return 4e-3 * std::exp2(1.7 * (4 - value_of(s.grid))); }

/// Allowed change of mass: rounding errors of a cell's thickness in each stage accumulate as a random walk.
double allowed_mass(const Settings& s) {
    const double rounds = value_of(stages * s.steps) / value_of(cells_of(s.grid));
    return 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::sqrt(rounds));
}

/// Allowed change of the conserved quantity: about four times the daily change of test 5 on grid 3, with the order of
/// the time steps. A step near the stability limit dissipates most in the shortest waves. These are weaker on finer
/// grids, so that the daily change falls to a quarter from grid to grid.
double allowed_change(const Settings& s) {
    const double a_day = s.form == "energy" ? 6e-8 : 3e-10;
    return std::max(1e-12, a_day * s.days * std::pow(s.step / 1800, 4) * std::exp2(2 * (value_of(s.grid) - 3)));
}

double Invariants::* kept(const Settings& s) {
    return s.form == "energy" ? &Invariants::energy : &Invariants::enstrophy;
}

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.run->settings;
    return {{"grid", s.grid},         {"cells", cells_of(s.grid)},
            {"levels", s.levels},     {"first_level", s.first_level},
            {"test", s.test},         {"angle", s.angle},
            {"step_s", s.step},       {"steps", s.steps},
            {"form", s.form},         {"partition", s.partition},
            {"exchange", s.exchange}, {"exchanges", s.exchanges},
            {"block", s.block},       {"work", s.work},
            {"tries", s.tries}};
}

JsonObject identities(const Identities& i) {
    return {{"curl_of_gradient", i.curl_of_gradient},
            {"divergence_of_stream", i.divergence_of_stream},
            {"antisymmetry", i.antisymmetry},
            {"remapping", i.remapping},
            {"areas", i.areas},
            {"allowed", allowed_identity}};
}

JsonObject errors(const Errors& e) {
    return {{"h_l1", e.l1}, {"h_l2", e.l2}, {"h_greatest", e.greatest}, {"u_l2", e.velocity}};
}

JsonObject truths(const Measured& m) {
    const Truths& t = m.truths;
    std::vector<std::string> digests;
    for (const std::uint64_t digest : t.digests)
        digests.push_back(text("%016llx", static_cast<unsigned long long>(digest)));
    std::vector<JsonObject> levels;
    for (const Errors& level_errors : t.errors) levels.push_back(errors(level_errors));
    JsonObject object{{"identities", identities(t.identities)},
                      {"mass_change", change(t, &Invariants::mass)},
                      {"mass_change_allowed", allowed_mass(*m.run->settings)},
                      {"energy_change", change(t, &Invariants::energy)},
                      {"enstrophy_change", change(t, &Invariants::enstrophy)},
                      {"vorticity", t.end.front().vorticity},
                      {"mass", t.end.front().mass},
                      {"energy", t.end.front().energy},
                      {"enstrophy", t.end.front().enstrophy},
                      {"errors", levels},
                      {"digests", digests}};
    return object.add("order", t.order ? std::optional(t.order->value) : std::nullopt);
}

Metrics details(const Measured& m) {
    return {{"cell_levels_per_s", rate(m)},
            {"flops_per_s", rate(m) * flops(m)},
            {"artificial_work", m.run->settings->work > 1},
            {"roofline", to_json(roofline_of(m), m.run->limits, rate(m))},
            {"sections", to_json(m.sections, section_table)},
            {"truths", truths(m)}};
}

/// Compares the errors of test 2 with their bounds and known values.
std::string wrong_error(const Measured& m) {
    const Settings& s = *m.run->settings;
    for (const Errors& level_errors : m.truths.errors) {
        const std::string why = first_failure(
            {{level_errors.l2, allowed_error(s), "the thickness is wrong by %.2e (l2), and may be by %.1e"}});
        if (!why.empty()) return why;
    }
    const Known* known_case = known_of(s);
    if (known_case == nullptr) return "";
    const auto& [l1, l2, greatest, velocity] = m.truths.errors.front();
    return first_failure({
        {l2 / known_case->l2 - 1, known_within,
         text("the error of the thickness is %.3e (l2), and the known error is %.3e", l2, known_case->l2)},
        {velocity / known_case->velocity - 1, known_within,
         text("the error of the velocity is %.3e (l2), and the known error is %.3e", velocity, known_case->velocity)},
    });
}

std::string failure(const Measured& m) {
    const Settings& s = *m.run->settings;
    const Truths& t = m.truths;
    const Identities& i = t.identities;
    const char* const energy = "energy changes by %.2e, and may by %.1e";
    const char* const enstrophy = "potential enstrophy changes by %.2e, and may by %.1e";
    std::string why = first_failure({
        {i.curl_of_gradient, allowed_identity, "the curl of a gradient is %.2e, and may be %.0e"},
        {i.divergence_of_stream, allowed_identity,
         "the divergence of a stream function's flow is %.2e, and may be %.0e"},
        {i.antisymmetry, allowed_identity, "the symmetric part of tangential weights is %.2e, and may be %.0e"},
        {i.remapping, allowed_identity, "the error of the remapped divergence is %.2e, and may be %.0e"},
        {i.areas, allowed_identity, "the error of the sum of areas is %.2e, and may be %.0e"},
        {change(t, &Invariants::mass), allowed_mass(s), "mass changes by %.2e, and may by %.1e"},
        {change(t, kept(s)), allowed_change(s), s.form == "energy" ? energy : enstrophy},
    });
    if (why.empty()) why = wrong_error(m);
    if (!why.empty()) return why;
    if (t.order && !(t.order->value >= t.order->required)) {
        return text("the order is %.2f, and must be at least %.2f", t.order->value, t.order->required);
    }
    return t.repeats ? "" : "two tries gave different results";
}

}  // namespace

double change(const Truths& truths, double Invariants::* which) {
    double greatest = 0;
    for (std::size_t k = 0; k < truths.start.size(); ++k) {
        const double deviation = truths.end[k].*which / truths.start[k].*which - 1;
        if (!(std::abs(deviation) <= std::abs(greatest))) greatest = deviation;
    }
    return greatest;
}

std::string description(const Run& run) {
    const Settings& s = *run.settings;
    std::string lines =
        text("%lld cells, %lld level(s), test %lld, %s form, %lld steps of %g s, %d rank(s) by %s of %d thread(s)\n",
             cells_of(s.grid), s.levels, s.test, s.form, s.steps, s.step, run.ranks,
             s.partition.substr(0, s.partition.find(':')), thread_limit()) +
        summary(run.limits);
    if (s.work > 1) {
        lines += text("NOTE artificial physics: each tendency is computed %lld times\n", s.work);
    }
    return lines;
}

Sample sample(const Measured& m) {
    std::optional<double> error;
    if (!m.truths.errors.empty()) error = m.truths.errors.front().l2;
    Sample sample{.variant = m.run->settings->form,
                  .phase = "integration",
                  .parameters = parameters(m),
                  .bytes = static_cast<std::int64_t>(points(m) * roofline_of(m).bytes_per_point),
                  .flops = static_cast<std::int64_t>(points(m) * flops(m)),
                  .points = static_cast<std::int64_t>(points(m)),
                  .error = error,
                  .failure = failure(m),
                  .details = details(m)};
    add_tries(sample, m.tries);
    return sample;
}

std::string remarks(const Measured& m) {
    const Truths& t = m.truths;
    std::string lines =
        shares(m.sections, section_table) +
        text("NOTE curl of gradients %.1e, divergence of streams %.1e, antisymmetry %.1e, remapping %.1e, areas %.1e\n",
             t.identities.curl_of_gradient, t.identities.divergence_of_stream, t.identities.antisymmetry,
             t.identities.remapping, t.identities.areas) +
        text("NOTE change of mass %.1e, energy %.2e, potential enstrophy %.2e\n", change(t, &Invariants::mass),
             change(t, &Invariants::energy), change(t, &Invariants::enstrophy));
    if (t.order) lines += text("NOTE order by another integration %.2f\n", t.order->value);
    return lines;
}

}  // namespace waywiser::shallow
