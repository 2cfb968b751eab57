#include "workloads/spectral/report.hpp"

#include "workloads/common/bounds.hpp"
#include "workloads/common/threads.hpp"

#include <cmath>

namespace waywiser::spectral {
namespace {

constexpr double allowed_leak = 1e-12;

/// Error bound of shallow water if an exact solution is known.
double allowed_state(const Measured& m) { return m.phase == Phase::steady ? 1e-12 : 1e-10; }

/// The octahedral grid loses wave numbers that latitudes near the poles do not carry.
double allowed_round_trip(const Settings& s) { return s.is_octahedral() ? 1e-11 : 1e-12; }
double allowed_orthonormality(const Settings& s) { return s.is_octahedral() ? 1e-11 : 1e-13; }

bool is_round_trip(const Measured& m) { return m.phase == Phase::round_trip; }

const char* name(Phase phase) {
    switch (phase) {
        case Phase::round_trip: return "round-trip";
        case Phase::vorticity: return "vorticity";
        case Phase::triad: return "triad";
        case Phase::steady: return "steady";
        case Phase::gravity_wave: return "gravity-wave";
        case Phase::unsteady: return "unsteady";
    }
    return "";
}

/// Transforms of a try.
const Traffic& traffic(const Measured& m) {
    if (is_round_trip(m)) return round_trip_traffic;
    return m.run->settings->is_shallow_water() ? shallow_water_traffic : vorticity_traffic;
}

double points(const Measured& m) {
    return static_cast<double>(m.run->layout->grid().points() * m.run->layout->levels());
}

double rate(const Measured& m) { return points(m) / m.tries.median_s(); }

/// Counts 2.5 n log2 n flops for a latitude of n points.
double fourier_flops(const Measured& m) {
    const Grid& grid = m.run->layout->grid();
    double sum = 0;
    for (Index latitude = 0; latitude < grid.latitudes(); ++latitude) {
        const auto n = static_cast<double>(grid.longitudes(latitude));
        sum += 2.5 * n * std::log2(n);
    }
    return sum * static_cast<double>(traffic(m).transforms() * m.run->layout->levels());
}

double flops(const Measured& m) { return m.legendre_flops + fourier_flops(m); }

/// Bytes of each transposition, over all ranks and including what ranks send to themselves.
Transposed transposed(const Measured& m) {
    Transposed sum = transposed_bytes(*m.run->layout, traffic(m).transforms());
    if (!is_round_trip(m)) sum.coefficients = 0;
    return sum;
}

Index bytes(const Measured& m) {
    const Transposed of = transposed(m);
    return of.rows + of.columns + of.coefficients;
}

/// The traffic consists of copies of values into and out of messages, and one read of the Legendre functions per
/// transform.
Roofline roofline_of(const Measured& m) {
    const Grid& grid = m.run->layout->grid();
    double functions = 0;
    for (Index wave = 0; wave <= grid.truncation(); ++wave) {
        functions += static_cast<double>((grid.rings() - grid.first_ring(wave)) * (grid.truncation() - wave + 1));
    }
    const auto sets = static_cast<double>(m.run->layout->ranks().v);
    const auto readings = static_cast<double>(2 * traffic(m).stages);
    const double moved = 4 * static_cast<double>(bytes(m)) + readings * sets * sizeof(double) * functions;
    return {.bytes_per_point = moved / points(m), .flops_per_point = flops(m) / points(m), .like = MemoryBound::copy};
}

/// Rate of all ranks over the time that the slowest rank spends in Legendre transforms.
double legendre_flops_per_s(const Measured& m) { return m.legendre_flops / m.legendre_s; }

JsonObject parameters(const Measured& m) {
    const Settings& s = *m.run->settings;
    return {{"truncation", s.truncation},
            {"rings", s.rings},
            {"grid", s.grid},
            {"levels", s.levels},
            {"pw", m.run->layout->ranks().w},
            {"pv", m.run->layout->ranks().v},
            {"equations", s.equations},
            {"start", s.start},
            {"depth", s.depth},
            {"wave_number", s.wave_number},
            {"wave_degree", s.wave_degree},
            {"omega", s.omega},
            {"steps", s.steps},
            {"dt", s.dt},
            {"seed", s.seed},
            {"tries", s.tries},
            {"blas", m.run->blas}};
}

JsonObject truths(const Measured& m) {
    const Settings& s = *m.run->settings;
    JsonObject object{{"orthonormality", m.run->orthonormality}, {"orthonormality_allowed", allowed_orthonormality(s)}};
    if (is_round_trip(m)) return object.add("round_trip", m.error).add("round_trip_allowed", allowed_round_trip(s));
    if (m.phase == Phase::triad) {
        return object.add("energy", m.drift.energy)
            .add("enstrophy", m.drift.enstrophy)
            .add("drift_allowed", allowed_drift(s));
    }
    if (m.phase != Phase::vorticity) {
        if (m.phase != Phase::unsteady) object.add("state", m.water.state).add("state_allowed", allowed_state(m));
        return object.add("mass", m.water.mass);
    }
    return object.add("wave", m.wave.wave)
        .add("wave_allowed", allowed_wave_error(s))
        .add("amplitude", m.wave.amplitude)
        .add("leak", m.wave.leak)
        .add("leak_allowed", allowed_leak)
        .add("phase", m.wave.phase);
}

/// Rate of the Legendre transforms as a fraction of dgemm's; "-" without BLAS.
std::string share_of_dgemm(const Measured& m) {
    if (m.run->blas.empty()) return "-";
    return text("%.0f%%", 100 * legendre_flops_per_s(m) / m.run->dgemm_flops_per_s);
}

Metrics details(const Measured& m) {
    JsonObject legendre;
    legendre.add("flops_per_s", legendre_flops_per_s(m));
    if (!m.run->blas.empty()) {
        legendre.add("dgemm_flops_per_s", m.run->dgemm_flops_per_s)
            .add("fraction", legendre_flops_per_s(m) / m.run->dgemm_flops_per_s);
    }
    JsonObject sent;
    const Transposed of = transposed(m);
    sent.add("rows", of.rows).add("columns", of.columns).add("coefficients", of.coefficients);
    Metrics object{{"points_per_s", rate(m)}, {"flops_per_s", flops(m) / m.tries.median_s()}};
    object.add("legendre", legendre).add("transposed_bytes", sent).add("sections", to_json(m.sections, section_table));
    object.add("roofline", to_json(roofline_of(m), m.run->limits, rate(m))).add("truths", truths(m));
    if (!m.probes.empty()) object.add("probes", m.probes);
    return object.add("checksum", text("%016llx", static_cast<unsigned long long>(m.checksum)))
        .show("of_dgemm", share_of_dgemm(m));
}

double error(const Measured& m) {
    if (is_round_trip(m)) return m.error;
    if (m.phase == Phase::vorticity) return m.wave.wave;
    if (m.phase == Phase::triad) return greater(m.drift.energy, m.drift.enstrophy);
    return m.phase == Phase::unsteady ? m.water.mass : m.water.state;
}

std::string failure(const Measured& m) {
    const Settings& s = *m.run->settings;
    const std::string why =
        first_failure({{m.run->orthonormality, allowed_orthonormality(s),
                        "Legendre functions deviate from orthonormality by %.2e, and may by %.0e"}});
    if (!why.empty()) return why;
    const Bound round_trip{m.error, allowed_round_trip(s),
                           "a round trip changes coefficients by %.2e, and may by %.0e"};
    const Bound wave{m.wave.wave, allowed_wave_error(s),
                     "the wave differs from its exact solution by %.2e, and may by %.1e"};
    const Bound leak{m.wave.leak, allowed_leak, "coefficients other than the wave's change by %.2e, and may by %.0e"};
    const Bound mass{m.water.mass, 0, "mass changes by %.2e, and must not change"};
    const std::string drifts = " changes by %.2e, and may by %.1e; if short waves have grown, reduce --dt";
    const std::string off = " differs from its exact solution by %.2e, and may by %.0e";
    switch (m.phase) {
        case Phase::round_trip: return first_failure({round_trip});
        case Phase::vorticity: return first_failure({wave, leak});
        case Phase::triad:
            return first_failure({{m.drift.energy, allowed_drift(s), "energy" + drifts},
                                  {m.drift.enstrophy, allowed_drift(s), "enstrophy" + drifts}});
        case Phase::steady: return first_failure({{m.water.state, allowed_state(m), "the steady flow" + off}, mass});
        case Phase::gravity_wave:
            return first_failure({{m.water.state, allowed_state(m), "the gravity wave" + off}, mass});
        case Phase::unsteady: return first_failure({mass});
    }
    return "";
}

}  // namespace

std::string description(const Run& run) {
    const Settings& s = *run.settings;
    const Grid& grid = run.layout->grid();
    return text("T%lld on %s grid of %lld latitudes and %lld points, %lld level(s), ", s.truncation,
                s.is_octahedral() ? "an octahedral" : "a full", grid.latitudes(), grid.points(), s.levels) +
           text("%lld x %lld rank(s) of %d thread(s)\n", run.layout->ranks().w, run.layout->ranks().v, thread_limit()) +
           summary(run.limits) +
           (run.blas.empty() ? "dgemm       no BLAS library\n"
                             : text("dgemm       %.1f GFLOP/s by ", 1e-9 * run.dgemm_flops_per_s) + run.blas + "\n");
}

Sample sample(const Measured& m) {
    Sample sample{.variant = std::string(m.exchange),
                  .phase = name(m.phase),
                  .parameters = parameters(m),
                  .bytes = bytes(m),
                  .flops = static_cast<std::int64_t>(flops(m)),
                  .points = static_cast<std::int64_t>(points(m)),
                  .error = error(m),
                  .failure = failure(m),
                  .details = details(m)};
    add_tries(sample, m.tries);
    return sample;
}

std::string remarks(const Measured& m) {
    std::string lines = shares(m.sections, section_table);
    if (m.phase == Phase::vorticity) {
        lines += text("NOTE phase %.6f, amplitude off by %.1e, other coefficients by %.1e\n", m.wave.phase,
                      m.wave.amplitude, m.wave.leak);
    }
    if (m.phase == Phase::triad) {
        lines += text("NOTE energy off by %.1e, enstrophy by %.1e\n", m.drift.energy, m.drift.enstrophy);
    }
    return lines;
}

}  // namespace waywiser::spectral
