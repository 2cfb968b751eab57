#include "workloads/propa/arrivals.hpp"

#include "workloads/common/text.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <span>

namespace waywiser::propa {
namespace {

/// Allowed deviation from the predicted error, relative and absolute. The prediction holds for the far field.
constexpr double tolerance = 0.1;
constexpr double unknown = 1e-3;

/// A wave's path from the source, or from its image, to a receiver.
struct Path {
    double sign;
    std::array<double, 3> from_m;  ///< receiver minus source on each axis

    [[nodiscard]] double length_m() const { return std::hypot(from_m[0], from_m[1], from_m[2]); }
};

Path direct_path(const Survey& survey, const Index3& receiver) {
    Path path{1, {}};
    const auto source = survey.position_m(survey.source);
    const auto at = survey.position_m(receiver);
    for (std::size_t axis = 0; axis < 3; ++axis) path.from_m[axis] = at[axis] - source[axis];
    return path;
}

/// Path from the image of the source behind a face.
Path reflected_path(const Settings& settings, const Survey& survey, const Index3& receiver, const SurfaceFace& face) {
    Path path = direct_path(survey, receiver);
    const Index last = settings.points[face.axis] - 1;
    const Index image = face.side == Side::low ? -survey.source[face.axis] : 2 * last - survey.source[face.axis];
    path.sign = -1;
    path.from_m[face.axis] = static_cast<double>(receiver[face.axis] - image) * survey.spacings_m[face.axis];
    return path;
}

/// The paths of waves that are part of the exact solution.
std::vector<Path> paths(const Settings& settings, const Survey& survey, const Index3& receiver) {
    std::vector<Path> arriving{direct_path(survey, receiver)};
    if (settings.modelling.free_surface) arriving.push_back(reflected_path(settings, survey, receiver, all_faces[0]));
    return arriving;
}

double exact(const std::vector<Path>& all, double frequency_Hz, double velocity_m_s, double t_s) {
    double sum = 0;
    for (const Path& path : all) {
        const double r = path.length_m();
        sum += path.sign * ricker(frequency_Hz, t_s - r / velocity_m_s) / (4 * std::numbers::pi * r);
    }
    return sum;
}

/// Arrival time of the first reflection that is not part of the exact solution.
double first_reflection_s(const Settings& settings, const Survey& survey, const Index3& receiver, double velocity_m_s) {
    double first = std::numeric_limits<double>::infinity();
    for (const SurfaceFace& face : std::span(all_faces).subspan(settings.modelling.free_surface ? 1 : 0)) {
        first = std::min(first, reflected_path(settings, survey, receiver, face).length_m() / velocity_m_s);
    }
    return first;
}

bool in_layer(const Settings& settings, const Index3& point) {
    for (const SurfaceFace& face : settings.absorbing_faces()) {
        const Index last = settings.points[face.axis] - 1;
        const Index distance = face.side == Side::low ? point[face.axis] : last - point[face.axis];
        if (distance < settings.modelling.layer) return true;
    }
    return false;
}

/// The difference formula's symbol of minus the second derivative at wave number k [1/m] on an axis, with its first two
/// derivatives with respect to k.
struct Symbol {
    double value;
    double slope;
    double curvature;
};

Symbol symbol(int order, double h, double k, double apart) {
    const auto at = [&](double number) { return -stencil::second_symbol(order, number * h) / (h * h); };
    const double before = at(k - apart);
    const double here = at(k);
    const double after = at(k + apart);
    return {here, (after - before) / (2 * apart), (after - 2 * here + before) / (apart * apart)};
}

/// A leapfrog wave along a path: its phase at the receiver, and its amplitude relative to the exact wave. Both are 0 if
/// the wave is too short for the grid.
struct DiscreteWave {
    double phase = 0;
    double height = 0;
};

/// The far field of the discrete Green's function. Its wave number k satisfies D(k) = q, where D is the symbol of minus
/// the Laplacian, and has a group velocity along the path. The Gaussian curvature of the surface D(k) = q at k, times
/// (|grad D| / 2)^2, is 1 / height^2.
///
/// Source: M. J. Lighthill, "Studies on magneto-hydrodynamic waves and other anisotropic wave motions", Phil. Trans. R.
/// Soc. A 252(1014), 1960, section 2.
DiscreteWave discrete_wave(const Settings& s, const Survey& survey, const Path& path, double velocity_m_s,
                           double omega) {
    const double q = std::pow(2 / (velocity_m_s * s.dt) * std::sin(omega * s.dt / 2), 2);
    const double number = omega / velocity_m_s;
    std::array<double, 3> towards{};
    std::array<double, 3> k{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        towards[axis] = path.from_m[axis] / path.length_m();
        k[axis] = number * towards[axis];
    }
    for (int iteration = 0; iteration < 30; ++iteration) {  // Newton's method for grad D = length * towards and D = q
        std::array<Symbol, 3> d{};
        double rest = q;
        double length = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            d[axis] = symbol(static_cast<int>(s.order), survey.spacings_m[axis], k[axis], 1e-3 * number);
            if (!(d[axis].curvature > 0)) return {};
            rest += d[axis].slope * d[axis].slope / d[axis].curvature - d[axis].value;
            length += d[axis].slope * towards[axis] / d[axis].curvature;
        }
        length = rest / length;
        DiscreteWave wave;
        double change = 0;
        double surface = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double step = (length * towards[axis] - d[axis].slope) / d[axis].curvature;
            k[axis] += step;
            change += std::abs(step);
            wave.phase += k[axis] * path.from_m[axis];
            surface += towards[axis] * towards[axis] * d[(axis + 1) % 3].curvature * d[(axis + 2) % 3].curvature;
        }
        wave.height = 2 / std::sqrt(surface);
        if (change < 1e-9 * number) return wave;
    }
    return {};
}

/// The predicted error of a whole wavelet, from its spectrum (Parseval's theorem).
double predict(const Settings& s, const Survey& survey, const std::vector<Path>& all, double velocity_m_s) {
    using namespace std::complex_literals;
    constexpr int parts = 160;
    constexpr double highest = 3;  // in units of the wavelet's frequency; 1e-6 of the energy is above
    double difference = 0;
    double sum = 0;
    for (int i = 1; i <= parts; ++i) {
        const double x = highest * i / parts;
        const double omega = 2 * std::numbers::pi * s.modelling.frequency_Hz * x;
        const double energy = std::pow(x, 4) * std::exp(-2 * x * x);
        std::complex<double> analytic = 0;
        std::complex<double> discrete = 0;
        for (const Path& path : all) {
            const double r = path.length_m();
            const DiscreteWave wave = discrete_wave(s, survey, path, velocity_m_s, omega);
            analytic += path.sign / r * std::exp(-1i * (omega / velocity_m_s * r));
            discrete += path.sign * wave.height / r * std::exp(-1i * wave.phase);
        }
        difference += energy * std::norm(discrete - analytic);
        sum += energy * std::norm(analytic);
    }
    return std::sqrt(difference / sum);
}

}  // namespace

std::string Arrivals::failure() const {
    if (!finite) return "the recorded traces grew without bound";
    if (checked > 0 && !(std::abs(error - predicted) <= allowed)) {
        return text("the error of the recorded wave is %.3g, and by theory %.3g, within %.3g", error, predicted,
                    allowed);
    }
    return "";
}

Arrivals check_arrivals(const Settings& settings, const Survey& survey, const Medium& medium,
                        const std::vector<double>& traces) {
    Arrivals arrivals;
    arrivals.finite = std::ranges::all_of(traces, [](double value) { return std::isfinite(value); });
    if (!medium.homogeneous()) arrivals.unchecked = "the velocity varies";
    if (survey.receivers.empty()) arrivals.unchecked = "there is no receiver";
    if (!arrivals.unchecked.empty()) return arrivals;

    const double c = medium.fastest_m_s;
    const double f = settings.modelling.frequency_Hz;
    double worst = -1;
    for (std::size_t i = 0; i < survey.receivers.size(); ++i) {
        const Index3& receiver = survey.receivers[i];
        const std::vector<Path> all = paths(settings, survey, receiver);
        const double arrived = all.back().length_m() / c + ricker_length_s(f);
        const double reflected = first_reflection_s(settings, survey, receiver, c);
        const double last = static_cast<double>(settings.steps - 1) * settings.dt;
        const bool near = all.front().length_m() < c / f;  // The prediction holds for the far field.
        const bool at_surface = settings.modelling.free_surface && receiver[0] == 0;
        const bool damped = in_layer(settings, receiver) || in_layer(settings, survey.source);
        if (near || at_surface || damped || arrived > std::min(reflected, last)) continue;
        const auto length = static_cast<std::size_t>(settings.steps);
        const std::span<const double> trace = std::span(traces).subspan(i * length, length);
        double difference = 0;
        double sum = 0;
        for (Index step = 0; step < settings.steps && static_cast<double>(step) * settings.dt < reflected; ++step) {
            const double expected = exact(all, f, c, static_cast<double>(step) * settings.dt);
            const double gap = trace[static_cast<std::size_t>(step)] - expected;
            difference += gap * gap;
            sum += expected * expected;
        }
        ++arrivals.checked;
        const double error = std::sqrt(difference / sum);
        const double predicted = predict(settings, survey, all, c);
        const double allowed = tolerance * predicted + unknown;
        const double off = std::abs(error - predicted) / allowed;
        if (off <= worst) continue;
        worst = std::isfinite(off) ? off : std::numeric_limits<double>::max();
        arrivals.error = error;
        arrivals.predicted = predicted;
        arrivals.allowed = allowed;
    }
    if (arrivals.checked == 0) {
        arrivals.unchecked =
            "no receiver outside the layers records the whole wave, a wave length or more from its source, "
            "before reflections";
    }
    return arrivals;
}

}  // namespace waywiser::propa
