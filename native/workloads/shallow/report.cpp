#include "workloads/shallow/report.hpp"

#include "workloads/common/text.hpp"
#include "workloads/common/version.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waywiser::shallow {
namespace {

/// Values of four stages that go to and from memory, of one cell and its three edges. A stage reads those of the state,
/// of the stage before it and, at the end, of all stages. Those that it writes count with write-allocates where it has
/// not read them.
constexpr double step_values = 4 * (3 + 4 + 4 + 5);
/// Of a stage, for all levels: what a cell, its three edges and its two vertices are computed with.
constexpr double mesh_bytes = sizeof(CellRow) + 3 * sizeof(EdgeRow) + 2 * sizeof(VorticityRow);
/// Of a stage: the potential vorticity of two vertices, what a hexagon gives to six edges, and the update of four
/// values.
constexpr double stage_flops = 2 * 12 + 137 + 3 * 2 + 4 * 2;

/// Of test 2 after 12 days with the energy form: l2 of the thickness and of the velocity.
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
    for (const Known& one : known) {
        if (s.test == 2 && s.form == "energy" && s.grid == one.grid && s.step == one.step && s.angle == one.angle &&
            s.days == 12 && s.first_level == 0) {
            return &one;
        }
    }
    return nullptr;
}

/// Four times what the error comes to after 12 days, at an order of 1.7.
double allowed_error(const Settings& s) { return 4e-3 * std::exp2(1.7 * (4 - value_of(s.grid))); }

/// Rounding of a cell's thickness in each stage, a step at random.
double allowed_mass(const Settings& s) {
    const double rounds = value_of(stages * s.steps) / value_of(cells_of(s.grid));
    return 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::sqrt(rounds));
}

/// Some four times what test 5 comes to in a day on grid 3, with the order of the time steps. A step as long as the
/// distance of cells allows dissipates most in the shortest waves, of which finer grids have less: a quarter a day.
double allowed_change(const Settings& s) {
    const double a_day = s.form == "energy" ? 6e-8 : 3e-10;
    return std::max(1e-12, a_day * s.days * std::pow(s.step / 1800, 4) * std::exp2(2 * (value_of(s.grid) - 3)));
}

double Invariants::* kept(const Settings& s) {
    return s.form == "energy" ? &Invariants::energy : &Invariants::enstrophy;
}

/// NaN is within nothing.
bool within(double error, double allowed) { return error <= allowed; }

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.run->settings;
    JsonObject object;
    return object.add("grid", s.grid)
        .add("cells", cells_of(s.grid))
        .add("levels", s.levels)
        .add("first_level", s.first_level)
        .add("test", s.test)
        .add("angle", s.angle)
        .add("step_s", s.step)
        .add("steps", s.steps)
        .add("form", s.form)
        .add("partition", s.partition)
        .add("exchange", s.exchange)
        .add("exchanges", s.exchanges)
        .add("block", s.block)
        .add("work", s.work)
        .add("tries", s.tries);
}

JsonObject identities(const Identities& i) {
    JsonObject object;
    return object.add("curl_of_gradient", i.curl_of_gradient)
        .add("divergence_of_stream", i.divergence_of_stream)
        .add("antisymmetry", i.antisymmetry)
        .add("remapping", i.remapping)
        .add("areas", i.areas)
        .add("allowed", allowed_identity);
}

JsonObject errors(const Errors& e) {
    JsonObject object;
    return object.add("h_l1", e.l1).add("h_l2", e.l2).add("h_greatest", e.greatest).add("u_l2", e.velocity);
}

JsonObject truths(const Measured& m) {
    const Truths& t = m.truths;
    std::vector<std::string> digests;
    for (const std::uint64_t one : t.digests) digests.push_back(text("%016llx", static_cast<unsigned long long>(one)));
    std::vector<JsonObject> levels;
    for (const Errors& one : t.errors) levels.push_back(errors(one));
    JsonObject object;
    object.add("identities", identities(t.identities))
        .add("mass_change", change(t, &Invariants::mass))
        .add("mass_change_allowed", allowed_mass(*m.run->settings))
        .add("energy_change", change(t, &Invariants::energy))
        .add("enstrophy_change", change(t, &Invariants::enstrophy))
        .add("vorticity", t.end.front().vorticity)
        .add("mass", t.end.front().mass)
        .add("energy", t.end.front().energy)
        .add("enstrophy", t.end.front().enstrophy)
        .add("errors", levels)
        .add("digests", digests);
    std::optional<double> order;
    if (t.order) order = t.order->value;
    return object.add("order", order);
}

JsonObject details(const Measured& m) {
    const Sections& s = m.sections;
    JsonObject sections;
    sections.add("tendencies_s", s.tendencies).add("packing_s", s.packing).add("waiting_s", s.waiting);
    JsonObject object;
    return object.add("cell_levels_per_s", rate(m))
        .add("flops_per_s", rate(m) * flops(m))
        .add("artificial_work", m.run->settings->work > 1)
        .add("roofline", to_json(roofline_of(m), m.run->limits, rate(m)))
        .add("sections", sections)
        .add("truths", truths(m))
        .add("tries_s", m.tries.seconds());
}

/// Against what is known of test 2.
std::string wrong_error(const Measured& m) {
    const Settings& s = *m.run->settings;
    for (const Errors& one : m.truths.errors) {
        if (!within(one.l2, allowed_error(s))) {
            return text("the thickness is wrong by %.2e (l2), and may be by %.1e", one.l2, allowed_error(s));
        }
    }
    const Known* known_case = known_of(s);
    if (known_case == nullptr) return "";
    const Errors& first = m.truths.errors.front();
    if (!within(std::abs(first.l2 / known_case->l2 - 1), known_within)) {
        return text("the error of the thickness is %.3e (l2), and is known to be %.3e", first.l2, known_case->l2);
    }
    if (within(std::abs(first.velocity / known_case->velocity - 1), known_within)) return "";
    return text("the error of the velocity is %.3e (l2), and is known to be %.3e", first.velocity,
                known_case->velocity);
}

}  // namespace

double change(const Truths& truths, double Invariants::* which) {
    double greatest = 0;
    for (std::size_t k = 0; k < truths.start.size(); ++k) {
        const double one = truths.end[k].*which / truths.start[k].*which - 1;
        if (!(std::abs(one) <= std::abs(greatest))) greatest = one;
    }
    return greatest;
}

std::string heading(const Run& run) {
    const Settings& s = *run.settings;
    std::string lines =
        report_title("ww-shallow") +
        text("%lld cells, %lld level(s), test %lld, %s form, %lld steps of %g s, %d rank(s) by %s of %d thread(s)\n",
             static_cast<long long>(cells_of(s.grid)), static_cast<long long>(s.levels), static_cast<long long>(s.test),
             s.form.c_str(), static_cast<long long>(s.steps), s.step, run.ranks,
             s.partition.substr(0, s.partition.find(':')).c_str(), run.threads) +
        summary(run.limits);
    if (s.work > 1) {
        lines +=
            text("NOTE artificial physics: each tendency is computed %lld times\n", static_cast<long long>(s.work));
    }
    return lines + text("%-12s %11s %11s %11s %15s %9s %10s\n", "variant", "median s", "min s", "max s",
                        "Mcell-levels/s", "GFLOP/s", "h l2");
}

std::string failure(const Measured& m) {
    const Settings& s = *m.run->settings;
    const Truths& t = m.truths;
    const Identities& i = t.identities;
    const std::pair<const char*, double> all[] = {
        {"the curl of a gradient", i.curl_of_gradient},
        {"the divergence of a stream function's flow", i.divergence_of_stream},
        {"the symmetric part of tangential weights", i.antisymmetry},
        {"the error of the remapped divergence", i.remapping},
        {"the error of the sum of areas", i.areas}};
    for (const auto& [name, value] : all) {
        if (!within(value, allowed_identity)) {
            return text("%s is %.2e, and may be %.0e", name, value, allowed_identity);
        }
    }
    if (!within(std::abs(change(t, &Invariants::mass)), allowed_mass(s))) {
        return text("mass changes by %.2e, and may by %.1e", change(t, &Invariants::mass), allowed_mass(s));
    }
    if (!within(std::abs(change(t, kept(s))), allowed_change(s))) {
        return text("%s changes by %.2e, and may by %.1e", s.form == "energy" ? "energy" : "potential enstrophy",
                    change(t, kept(s)), allowed_change(s));
    }
    if (std::string why = wrong_error(m); !why.empty()) return why;
    if (t.order && !(t.order->value >= t.order->wanted)) {
        return text("the order is %.2f, and must be at least %.2f", t.order->value, t.order->wanted);
    }
    return t.repeats ? "" : "two tries have come to different results";
}

std::string row(const Measured& m) {
    const Truths& t = m.truths;
    return text("%-12s %11.6f %11.6f %11.6f %15.3f %9.2f %10s%s\n", m.run->settings->form.c_str(), m.tries.median_s(),
                m.tries.least_s(), m.tries.greatest_s(), 1e-6 * rate(m), 1e-9 * rate(m) * flops(m),
                t.errors.empty() ? "-" : text("%.3e", t.errors.front().l2).c_str(),
                failure(m).empty() ? "" : "  WRONG");
}

Sample sample(const Measured& m) {
    std::optional<double> error;
    if (!m.truths.errors.empty()) error = m.truths.errors.front().l2;
    return {.workload = "shallow",
            .variant = m.run->settings->form,
            .phase = "integration",
            .parameters = parameters(m),
            .ranks = m.run->ranks,
            .threads = m.run->threads,
            .seconds = m.tries.median_s(),
            .bytes = static_cast<std::int64_t>(points(m) * roofline_of(m).bytes_per_point),
            .flops = static_cast<std::int64_t>(points(m) * flops(m)),
            .points = static_cast<std::int64_t>(points(m)),
            .error = error,
            .verified = failure(m).empty(),
            .details = details(m)};
}

std::string remarks(const Measured& m) {
    const Sections& s = m.sections;
    const Truths& t = m.truths;
    const double all = s.tendencies + s.packing + s.waiting;
    const auto percent = [&](double one) { return 100 * one / all; };
    std::string lines =
        text("NOTE tendencies %.1f %%, packing %.1f %%, waiting %.1f %%\n", percent(s.tendencies), percent(s.packing),
             percent(s.waiting)) +
        text("NOTE curl of gradients %.1e, divergence of streams %.1e, antisymmetry %.1e, remapping %.1e, areas %.1e\n",
             t.identities.curl_of_gradient, t.identities.divergence_of_stream, t.identities.antisymmetry,
             t.identities.remapping, t.identities.areas) +
        text("NOTE change of mass %.1e, energy %.2e, potential enstrophy %.2e\n", change(t, &Invariants::mass),
             change(t, &Invariants::energy), change(t, &Invariants::enstrophy));
    if (t.order) lines += text("NOTE order by another integration %.2f\n", t.order->value);
    return lines;
}

}  // namespace waywiser::shallow
