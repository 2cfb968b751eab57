#include "workloads/shallow/problem.hpp"

namespace waywiser::shallow {
namespace {

constexpr double days_around = 12;  ///< days in which test 2's flow circles the sphere
constexpr double geopotential_2 = 2.94e4;
constexpr double depth_5_m = 5960;
constexpr double speed_5 = 20;

}  // namespace

Problem::Problem(const Settings& settings)
    : settings_(settings),
      speed_(settings.test == 2 ? 2 * pi * earth_radius_m / (days_around * seconds_a_day) : speed_5) {
    const double angle = settings.angle * pi / 180;
    axis_ = {-std::sin(angle), 0, std::cos(angle)};
}

double Problem::depth(Index level) const {
    const double first = is_steady() ? geopotential_2 / gravity_m_s2 : depth_5_m;
    return first * (1 + 1e-3 * static_cast<double>(level));
}

double Problem::greatest_depth() const { return depth(settings_.first_level + settings_.levels); }

double Problem::thickness(const Vector3& at, Index level) const {
    const double sine = dot(axis_, at);
    const double balance = earth_radius_m * rotation_per_s * speed_ + speed_ * speed_ / 2;
    return depth(level) - balance * sine * sine / gravity_m_s2 - ground().height(at);
}

double Problem::stream(const Vector3& at) const { return -earth_radius_m * speed_ * dot(axis_, at); }

State Problem::start(const Domain& domain) const {
    const Mesh& mesh = domain.mesh();
    State state(static_cast<Index>(domain.cells().size()), static_cast<Index>(domain.edges().size()), settings_.levels);
    const Index lanes = state.thickness.stride();
    for (std::size_t i = 0; i < domain.cells().size(); ++i) {
        const Vector3& centre = mesh.centre(domain.cells()[i]);
        double* row = state.thickness.row(static_cast<Index>(i));
        for (Index lane = 0; lane < lanes; ++lane) {
            row[lane] = thickness(centre, settings_.first_level + std::min(lane, settings_.levels - 1));
        }
    }
    for (std::size_t i = 0; i < domain.edges().size(); ++i) {
        const Number edge = domain.edges()[i];
        const auto& [right, left] = mesh.topology().edge(edge).vertices;
        const double rise = stream(mesh.corner(left)) - stream(mesh.corner(right));
        std::fill_n(state.velocity.row(static_cast<Index>(i)), lanes, -rise / (mesh.length(edge) * earth_radius_m));
    }
    return state;
}

}  // namespace waywiser::shallow
