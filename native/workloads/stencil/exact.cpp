#include "workloads/stencil/exact.hpp"

#include "base/error.hpp"

#include <cmath>
#include <numbers>
#include <span>
#include <string>

namespace waywiser::stencil {
namespace {

constexpr std::size_t half = greatest_order / 2;

// Row m - 1 is for order 2m: a_1 ... a_m.
constexpr std::array<std::array<double, half>, half> second{{
    {1.0},
    {4.0 / 3, -1.0 / 12},
    {3.0 / 2, -3.0 / 20, 1.0 / 90},
    {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560},
    {5.0 / 3, -5.0 / 21, 5.0 / 126, -5.0 / 1008, 1.0 / 3150},
    {12.0 / 7, -15.0 / 56, 10.0 / 189, -1.0 / 112, 2.0 / 1925, -1.0 / 16632},
    {7.0 / 4, -7.0 / 24, 7.0 / 108, -7.0 / 528, 7.0 / 3300, -7.0 / 30888, 1.0 / 84084},
    {16.0 / 9, -14.0 / 45, 112.0 / 1485, -7.0 / 396, 112.0 / 32175, -2.0 / 3861, 16.0 / 315315, -1.0 / 411840},
}};

// Row m - 1 is for order 2m: c_1 ... c_m.
constexpr std::array<std::array<double, half>, half> first{{
    {1.0},
    {9.0 / 8, -1.0 / 24},
    {75.0 / 64, -25.0 / 384, 3.0 / 640},
    {1225.0 / 1024, -245.0 / 3072, 49.0 / 5120, -5.0 / 7168},
    {19845.0 / 16384, -735.0 / 8192, 567.0 / 40960, -405.0 / 229376, 35.0 / 294912},
    {160083.0 / 131072, -12705.0 / 131072, 22869.0 / 1310720, -5445.0 / 1835008, 847.0 / 2359296, -63.0 / 2883584},
    {1288287.0 / 1048576, -429429.0 / 4194304, 429429.0 / 20971520, -61347.0 / 14680064, 13013.0 / 18874368,
     -3549.0 / 46137344, 231.0 / 54525952},
    {41409225.0 / 33554432, -3578575.0 / 33554432, 3864861.0 / 167772160, -1254825.0 / 234881024, 325325.0 / 301989888,
     -61425.0 / 369098752, 7425.0 / 436207616, -143.0 / 167772160},
}};

std::span<const double> row(const std::array<std::array<double, half>, half>& table, int order) {
    const auto m = static_cast<std::size_t>(order / 2);
    return std::span(table[m - 1]).first(m);
}

/// Coefficient a_0 of the second derivative, from a_1 ... a_m.
double centre(std::span<const double> a) {
    double sum = 0;
    for (const double value : a) sum += value;
    return -2 * sum;
}

}  // namespace

double second_symbol(int order, double phase) {
    const std::span<const double> a = row(second, order);
    double sum = centre(a);
    for (std::size_t k = 0; k < a.size(); ++k) sum += 2 * a[k] * std::cos(static_cast<double>(k + 1) * phase);
    return sum;
}

double first_symbol(int order, double phase) {
    const std::span<const double> c = row(first, order);
    double sum = 0;
    for (std::size_t k = 0; k < c.size(); ++k) sum += 2 * c[k] * std::sin((static_cast<double>(k) + 0.5) * phase);
    return sum;
}

double second_absolute_sum(int order) {
    const std::span<const double> a = row(second, order);
    double sum = std::abs(centre(a));
    for (const double value : a) sum += 2 * std::abs(value);
    return sum;
}

void require_visible_waves(const Index3& points, const std::array<double, 3>& modes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index intervals = points[axis] - 1;
        const std::string number = std::to_string(axis + 1);
        require(std::fmod(modes[axis], static_cast<double>(intervals)) != 0,
                "--mode" + number + " is a multiple of --n" + number + " - 1 = " + std::to_string(intervals) +
                    ": such a wave is 0 at every point; give another mode");
    }
}

double Eigenmode::angular_frequency() const { return std::numbers::pi * std::hypot(modes[0], modes[1], modes[2]); }

double Eigenmode::amplitude(Index step) const { return std::sin(angular_frequency() * static_cast<double>(step) * dt); }

std::vector<double> Eigenmode::discrete_amplitudes(Index steps) const {
    double eigenvalue = 0;  // eigenvalue of -Laplace
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double h = spacing(axis);
        eigenvalue -= second_symbol(order, std::numbers::pi * modes[axis] * h) / (h * h);
    }
    double before = amplitude(-2);
    double now = amplitude(-1);
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(steps));
    for (Index step = 0; step < steps; ++step) {
        const double next = 2 * now - before - dt * dt * eigenvalue * now;
        result.push_back(next);
        before = now;
        now = next;
    }
    return result;
}

double Eigenmode::relative_error(Index steps, Index every) const {
    const std::vector<double> discrete = discrete_amplitudes(steps);
    double difference = 0;
    double sum = 0;
    for (Index step = every == 0 ? steps - 1 : 0; step < steps; step += every == 0 ? 1 : every) {
        difference += std::abs(discrete[static_cast<std::size_t>(step)] - amplitude(step));
        sum += std::abs(amplitude(step));
    }
    return difference / sum;
}

double longest_stable_step(const Index3& points, int order) {
    double sum = 0;
    for (const Index n : points) sum += static_cast<double>(n - 1) * static_cast<double>(n - 1);
    return 2 / std::sqrt(second_absolute_sum(order) * sum);
}

}  // namespace waywiser::stencil
