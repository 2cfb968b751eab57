#include "workloads/rupture/fault_state.hpp"

namespace waywiser::rupture {

/// The locked traction has the scheme's order in time. The slip path since the start of the step is computed by Heun's
/// method.
template <class Real>
FaultSample FaultState<Real>::sample(std::int64_t face, int point, double since_s) const {
    constexpr std::int64_t width = lanes<Real>;
    const std::int64_t position = cells_.fault_position(face);
    const auto lane = static_cast<std::size_t>(position % width);
    const FaultLanes<Real>& g = groups_[static_cast<std::size_t>(position / width)];
    const Point n{g.normal[0][lane], g.normal[1][lane], g.normal[2][lane]};
    const auto nodes = static_cast<std::int64_t>(reference_.nodes.size());
    const auto locked = [&](double at_s) {
        Point minus{};
        Point plus{};
        double factor = 1;
        for (std::int64_t i = 0; i < reference_.order; ++i) {
            for (std::int64_t node = 0; node < nodes; ++node) {
                const double share = factor * reference_.to_points.at(point, static_cast<int>(node));
                for (std::int64_t c = 0; c < 3; ++c) {
                    const std::int64_t at = ((i * nodes + node) * 3 + c) * width;
                    minus[static_cast<std::size_t>(c)] += share * traces_[cells_.fault_trace(position, 0) + at];
                    plus[static_cast<std::size_t>(c)] += share * traces_[cells_.fault_trace(position, 1) + at];
                }
            }
            factor *= at_s / static_cast<double>(i + 1);
        }
        Point total{};
        double along = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            along +=
                n[c] * ((g.minus_p[lane] - g.minus_s[lane]) * minus[c] - (g.plus_p[lane] - g.plus_s[lane]) * plus[c]);
        }
        for (std::size_t c = 0; c < 3; ++c) {
            total[c] = g.minus_s[lane] * minus[c] - g.plus_s[lane] * plus[c] + along * n[c] +
                       initial_[vector(face, point) + static_cast<std::int64_t>(c) * width];
        }
        return total;
    };
    const Friction<double> friction(law_);
    const double eta = g.eta_s[lane];
    const auto slide = [&](double path, const Point& total) {
        return friction.slide(n.data(), eta, path, total.data());
    };
    const double path = path_[value(face, point)];
    const Sliding<double> begin = slide(path, locked(0));
    const Point total = locked(since_s);
    const Sliding<double> rough = slide(path + since_s * begin.speed, total);
    const double slip_path = path + since_s / 2 * (begin.speed + rough.speed);
    const Sliding<double> now = slide(slip_path, total);
    FaultSample sample{.rate_mps = {}, .slip_m = {}, .traction_Pa = {}, .path_m = slip_path, .friction = now.friction};
    for (std::size_t c = 0; c < 3; ++c) {
        sample.rate_mps[c] = now.rate[c];
        sample.traction_Pa[c] = total[c] - eta * now.rate[c];
        sample.slip_m[c] = slip_[vector(face, point) + static_cast<std::int64_t>(c) * width] +
                           since_s / 2 * (begin.rate[c] + now.rate[c]);
    }
    return sample;
}

template FaultSample FaultState<float>::sample(std::int64_t face, int point, double since_s) const;
template FaultSample FaultState<double>::sample(std::int64_t face, int point, double since_s) const;

}  // namespace waywiser::rupture
