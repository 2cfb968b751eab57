#include "workloads/fd/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/options.hpp"
#include "workloads/stencil/exact.hpp"

#include <cmath>
#include <numbers>

namespace waywiser::fd {
namespace {

constexpr Index most_points = 1'000'000;

using stencil::Operator;

constexpr NamedOperator table_of_operators[] = {
    {"first-1", Operator::first_1},     {"first-2", Operator::first_2},   {"first-3", Operator::first_3},
    {"second-1", Operator::second_1},   {"second-2", Operator::second_2}, {"second-3", Operator::second_3},
    {"laplacian", Operator::laplacian},
};

Options table(Settings& s) {
    Options options("ww-fd",
                    "finite differences, after hpcscan's test cases FD_D1 and FD_D2.\n"
                    "First derivatives (staggered) and second ones along each axis, and the Laplacian, of a product of "
                    "sines, checked against the exact result.");
    options.add_count("n1", s.points[0], 3, most_points, "points on axis 1, contiguous in memory; default 100");
    options.add_count("n2", s.points[1], 3, most_points, "points on axis 2; default n1");
    options.add_count("n3", s.points[2], 3, most_points, "points on axis 3; default n2");
    options.add_count("p1", s.ranks[0], 1, 1'000'000, "ranks on axis 1; default: the least to exchange");
    options.add_count("p2", s.ranks[1], 1, 1'000'000, "ranks on axis 2; default: the least to exchange");
    options.add_count("p3", s.ranks[2], 1, 1'000'000, "ranks on axis 3; default: the least to exchange");
    options.add_count("order", s.order, 2, stencil::greatest_order, "of the differences, even; default 8");
    options.add_text("precision", s.precision, "fp32 or fp64", "default fp32");
    options.add_text("operator", s.operation, "all, or one of first-1 ... first-3, second-1 ... second-3, laplacian",
                     "default all");
    options.add_real("mode1", s.modes[0], 1e-6, 1e6, "half waves on axis 1; default: an error of 0.2 % or more");
    options.add_real("mode2", s.modes[1], 1e-6, 1e6, "half waves on axis 2; the same");
    options.add_real("mode3", s.modes[2], 1e-6, 1e6, "half waves on axis 3; the same");
    options.add_real("amplitude", s.amplitude, 1e-6, 1e6, "of the sines; default 0.8");
    options.add_count("tries", s.tries, 1, 1'000'000, "each a sample; default 10");
    options.add_text("variant", s.variant, "a name, all, or auto",
                     "of the kernels; auto: the fastest of a short run, which is remembered; default auto");
    options.add_flag("retune", s.retune, "forget which variant was the fastest");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a try to this file");
    options.add_flag("help", s.help, "print this and stop");
    return options;
}

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

Settings read_settings(std::span<const char* const> arguments) {
    Settings s;
    table(s).parse(arguments);
    if (s.points[1] == 0) s.points[1] = s.points[0];
    if (s.points[2] == 0) s.points[2] = s.points[1];
    require(s.order % 2 == 0, "--order does not take " + std::to_string(s.order) + " but an even number from 2 to 16");
    require(s.precision == "fp32" || s.precision == "fp64",
            "--precision does not take '" + s.precision + "' but fp32 or fp64");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (s.modes[axis] == 0) s.modes[axis] = visible_mode(s, axis);
    }
    (void)s.chosen();  // refuses what is no operator
    return s;
}

std::string help_text() {
    Settings settings;
    return table(settings).help();
}

}  // namespace waywiser::fd
