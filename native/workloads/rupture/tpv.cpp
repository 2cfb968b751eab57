#include "base/error.hpp"
#include "workloads/rupture/problem.hpp"

#include <algorithm>
#include <numbers>

namespace waywiser::rupture {
namespace {

constexpr Material host{.rho = 2670, .lambda = 3.204375936e10, .mu = 3.203812032e10};
constexpr Material fault_zone{.rho = 2670, .lambda = 1.251709350e10, .mu = 1.251489075e10};
constexpr Material far_side{.rho = 2670, .lambda = 2.817615756e10, .mu = 2.816717568e10};
constexpr double zone_half_width_m = 800;

/// Rectangle that may slip, and planes on which the material changes.
struct Geometry {
    std::array<double, 2> x;
    double depth;
    double zone;  ///< half width of a zone of another material along the fault; 0: no zone
};

constexpr Geometry geometry_5{.x = {-15e3, 15e3}, .depth = 15e3, .zone = 0};
constexpr Geometry geometry_33{.x = {-12e3, 4e3}, .depth = 10e3, .zone = zone_half_width_m};

Stress stress_5(const Point& at) {
    const auto square = [&](double x) { return std::max(std::abs(at[0] - x), std::abs(at[2] + 7500)) <= 1500; };
    const double shear = square(0) ? 81.6e6 : square(-7500) ? 78e6 : square(7500) ? 62e6 : 70e6;
    return {0, -120e6, 0, shear, 0, 0};
}

Stress stress_33(const Point& at) {
    const auto [x, y, z] = at;
    const double rx = x < -9800 ? (-x - 9800) / 10000 : x > 1100 ? (x - 1100) / 10000 : 0;
    const double rz = z < -8000 ? (-z - 8000) / 10000 : z > -2300 ? (z + 2300) / 10000 : 0;
    const double taper = std::min(1.0, std::hypot(rx, rz));
    const double r = std::hypot(x + 6000, z + 6000);
    const double more = r <= 550 ? 3.15e6 : r <= 800 ? 1.575e6 * (1 + std::cos(std::numbers::pi * (r - 550) / 250)) : 0;
    return {-60e6, -60e6, 0, 30e6 * (1 - taper) + more, 0, 0};
}

const Geometry& geometry(const std::string& name) { return name == "tpv5" ? geometry_5 : geometry_33; }

/// Appends lines from the fine region's edge outwards to `end`. Steps grow by `growth`, and are stretched so that the
/// last step ends at `end`.
void extend(std::vector<double>& lines, double step, double growth, double end) {
    std::vector<double> distances;
    double distance = 0;
    const double length = std::abs(end - lines.back());
    while (distance < length * (1 - 1e-9)) {
        step *= growth;
        distance += step;
        distances.push_back(distance);
    }
    const double from = lines.back();
    for (const double offset : distances) lines.push_back(from + (end - from) * offset / distance);
}

std::vector<double> graded(double low, double high, double spacing, double growth, double begin, double end) {
    const int cubes = std::max(1, static_cast<int>(std::lround((high - low) / spacing)));
    std::vector<double> lines;
    for (int i = cubes; i >= 0; --i) lines.push_back(low + (high - low) * i / cubes);
    const double step = (high - low) / cubes;
    extend(lines, step, growth, begin);
    std::ranges::reverse(lines);
    extend(lines, step, growth, end);
    return lines;
}

int line_at(const std::vector<double>& lines, double where) {
    const auto nearer = [&](double a, double b) { return std::abs(a - where) < std::abs(b - where); };
    return static_cast<int>(std::ranges::min_element(lines, nearer) - lines.begin());
}

}  // namespace

Problem make_rupture(const std::string& name) {
    Problem problem{.name = name, .material = {}, .exact = {}, .rupture = Rupture{}, .end_s = 12};
    Rupture& rupture = *problem.rupture;
    rupture.towards = {0, 1, 0};
    if (name == "tpv5") {
        problem.material = [](const Point&) { return host; };
        rupture.law = {.static_coefficient = 0.677, .dynamic_coefficient = 0.525, .critical_slip_m = 0.4};
        rupture.stress = stress_5;
        for (const double x : {-12e3, -7.5e3, -4.5e3, 0.0, 4.5e3, 7.5e3, 12e3}) {
            rupture.stations.push_back({x, 0, -7500});
        }
        for (const double depth : {0.0, 3e3, 12e3}) rupture.stations.push_back({0, 0, -depth});
        return problem;
    }
    require(name == "tpv33", "a rupture is tpv5 or tpv33, not " + name);
    problem.material = [](const Point& at) {
        return std::abs(at[1]) < zone_half_width_m ? fault_zone : at[1] > 0 ? host : far_side;
    };
    rupture.law = {.static_coefficient = 0.55, .dynamic_coefficient = 0.45, .critical_slip_m = 0.18};
    rupture.stress = stress_33;
    for (const double x : {-10e3, -8e3, -6e3, -4e3, -2e3, 0.0, 2e3}) {
        for (const double depth : {8e3, 6e3, 4e3, 2e3}) rupture.stations.push_back({x, 0, -depth});
    }
    return problem;
}

Box make_rupture_box(const std::string& name, double spacing_m, double growth, double reach_m) {
    const Geometry& fault = geometry(name);
    // A zone of another material keeps the spacing, so that no cube straddles the zone's side.
    const double near = std::max(fault.zone, spacing_m);
    Box box;
    box.lines[0] = graded(fault.x[0], fault.x[1], spacing_m, growth, -reach_m, reach_m);
    box.lines[1] = graded(0, near, spacing_m, growth, 0, reach_m);
    box.lines[2] = graded(-fault.depth, 0, spacing_m, growth, -reach_m, 0);
    std::vector<double> both;
    for (auto y = box.lines[1].rbegin(); y != box.lines[1].rend(); ++y) both.push_back(-*y);
    both.insert(both.end(), box.lines[1].begin() + 1, box.lines[1].end());
    box.lines[1] = both;
    box.sides = {std::array{absorbing, absorbing}, std::array{absorbing, absorbing},
                 std::array{absorbing, free_surface}};
    box.fault = {.y = line_at(box.lines[1], 0),
                 .x = {line_at(box.lines[0], fault.x[0]), line_at(box.lines[0], fault.x[1])},
                 .z = {line_at(box.lines[2], -fault.depth), line_at(box.lines[2], 0)}};
    return box;
}

}  // namespace waywiser::rupture
