#include "workloads/fd/settings.hpp"

#include "workloads/common/named.hpp"
#include "workloads/stencil/exact.hpp"

#include <cmath>
#include <numbers>

namespace waywiser::fd {
namespace {

using stencil::Operator;

constexpr NamedOperator table_of_operators[] = {
    {"first-1", Operator::first_1},     {"first-2", Operator::first_2},   {"first-3", Operator::first_3},
    {"second-1", Operator::second_1},   {"second-2", Operator::second_2}, {"second-3", Operator::second_3},
    {"laplacian", Operator::laplacian},
};

/// Half waves on an axis whose second derivative is 0.2 % off or more by theory.
double visible_mode(const Settings& s, std::size_t axis) {
    Index mode = 1;
    for (; 10 * mode < 9 * (s.points[axis] - 1); ++mode) {
        const double phase = std::numbers::pi * static_cast<double>(mode) * s.spacing(axis);
        if (std::abs(stencil::second_symbol(static_cast<int>(s.order), phase) / (phase * phase) + 1) >= 2e-3) break;
    }
    return static_cast<double>(mode) + 0.25 * static_cast<double>(axis);  // so that no two axes can be exchanged unseen
}

}  // namespace

std::span<const NamedOperator> operators() { return table_of_operators; }

std::vector<NamedOperator> Settings::chosen() const {
    if (operation == "all") return {operators().begin(), operators().end()};
    return {find_named(operators(), "operator", operation)};
}

Options options_of(Settings& s) {
    Options options("ww-fd",
                    "finite differences, after hpcscan's test cases FD_D1 and FD_D2.\n"
                    "First derivatives (staggered) and second ones along each axis, and the Laplacian, of a product of "
                    "sines, checked against the exact result.");
    add_points(options, s, 3, "points of the whole grid on axis 1");
    add_cut(options, s, "the least to exchange");
    add_order(options, s);
    options.add_text("operator", s.operation, "all, or one of first-1 ... first-3, second-1 ... second-3, laplacian",
                     "default all");
    options.add_real("mode1", s.modes[0], 1e-6, 1e6, "half waves on axis 1; default: an error of 0.2 % or more");
    options.add_real("mode2", s.modes[1], 1e-6, 1e6, "half waves on axis 2; the same");
    options.add_real("mode3", s.modes[2], 1e-6, 1e6, "half waves on axis 3; the same");
    options.add_real("amplitude", s.amplitude, 1e-6, 1e6, "of the sines; default 0.8");
    add_variants(options, s, "baseline, blocked, nontemporal", "how kernels are written");
    add_block(options, s);
    add_running(options, s, "timed applications of each, after one to warm up; default 10");
    return options;
}

void complete(Settings& s) {
    waywiser::complete(s);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (s.modes[axis] == 0) s.modes[axis] = visible_mode(s, axis);
    }
    stencil::require_visible_waves(s.points, s.modes);
    (void)s.chosen();  // rejects an unknown operator
}

}  // namespace waywiser::fd
