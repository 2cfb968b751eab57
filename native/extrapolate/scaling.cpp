#include "extrapolate/scaling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace waywiser::extrapolate {
namespace {

using Values = std::span<const std::pair<Where, double>>;

/// Tolerance within which the simplest law of times is accepted.
constexpr double kTimeTolerance = 0.02;

constexpr double kExact = 1e-9;

constexpr double kSurface = -2.0 / 3;  // surface of a part of a volume
constexpr double kEdge = -1.0 / 2;     // edge of a part of an area
constexpr double kSide = 1.0 / 2;      // ranks along a side of a square grid

/// ranks^exponent without pow, whose version in today's C library is missing from older ones.
double power(double ranks, double exponent) {
    if (exponent == kSurface) return 1 / (std::cbrt(ranks) * std::cbrt(ranks));
    if (exponent == kEdge) return 1 / std::sqrt(ranks);
    if (exponent == kSide) return std::sqrt(ranks);
    return exponent < 0 ? 1 / ranks : exponent > 0 ? ranks : 1;
}

/// log2 except for a constant, because all runs have the smallest number of ranks times a power of two or four.
double logarithm(std::int64_t ranks) { return std::countr_zero(static_cast<std::uint64_t>(ranks)); }

double residual_of(const Scaling& law, Values seen) {
    double sum = 0;
    for (const auto& [where, value] : seen) {
        const double off = law.at(where) - value;
        sum += value == 0 ? (off == 0 ? 0 : 1) : off * off / (value * value);
    }
    return std::sqrt(sum / static_cast<double>(seen.size()));
}

/// Fits factor * shape by least squares, relative to the values.
Scaling with_factor(Scaling shape, Values seen) {
    shape.factor = 1;
    double above = 0;
    double below = 0;
    for (const auto& [where, value] : seen) {
        if (value == 0) continue;
        const double ratio = shape.at(where) / value;
        above += ratio;
        below += ratio * ratio;
    }
    shape.factor = below > 0 ? above / below : 0;
    shape.residual = residual_of(shape, seen);
    return shape;
}

/// Fits offset + factor * log2(ranks) by least squares.
Scaling logarithmic(Values seen) {
    double n = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
    for (const auto& [where, value] : seen) {
        const double x = logarithm(where.ranks);
        n += 1;
        x_sum += x;
        y_sum += value;
        xx_sum += x * x;
        xy_sum += x * value;
    }
    Scaling law{.logarithmic = true};
    const double determinant = n * xx_sum - x_sum * x_sum;
    law.factor = determinant > 0 ? (n * xy_sum - x_sum * y_sum) / determinant : 0;
    law.offset = (y_sum - law.factor * x_sum) / n;
    law.residual = residual_of(law, seen);
    return law;
}

std::vector<Scaling> exact_laws(std::size_t dimensions) {
    std::vector<Scaling> laws;
    for (const double exponent : {0.0, -1.0, 1.0, kEdge, kSide}) laws.push_back({.exponent = exponent});
    for (const double exponent : {0.0, -1.0}) laws.push_back({.exponent = exponent, .by_neighbours = true});
    const unsigned sets = dimensions > 1 ? (1U << dimensions) - 1 : 0;  // The set of all dimensions equals the ranks.
    for (unsigned set = 1; set < sets; ++set) {
        Scaling law;
        for (std::size_t i = 0; i < dimensions; ++i) law.shared_among.at(i) = (set >> i & 1U) != 0;
        laws.push_back(law);
    }
    for (const int round_power : {1, -1}) {
        for (const double exponent : {0.0, -1.0, 1.0}) {
            laws.push_back({.exponent = exponent, .round_power = round_power});
        }
    }
    for (const int group_power : {1, -1}) {
        for (const double exponent : {0.0, -1.0}) {
            laws.push_back({.exponent = exponent, .group_power = group_power});
        }
    }
    return laws;
}

}  // namespace

std::int64_t Count::root_of(std::int64_t ranks) {
    const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(ranks))));
    return root * root == ranks ? root : 0;
}

std::optional<Count> count_for(std::span<const std::int64_t> counts, const Growth& growth) {
    const auto is_right = [&](const Count& law) {
        unsigned steps = 0;
        return std::ranges::all_of(counts, [&](std::int64_t count) {
            const std::int64_t expected = law.at(growth.ranks(steps), steps);
            ++steps;
            return expected == count;
        });
    };
    const Count fixed{.fixed = counts[0]};
    if (is_right(fixed)) return fixed;
    std::vector<std::int64_t Count::*> laws = {&Count::per_step, &Count::per_rank};
    if (growth.doublings == 2) laws.push_back(&Count::per_root);
    for (std::int64_t Count::* const per : laws) {
        Count law{.fixed = 0};
        law.*per = 1;
        const std::int64_t first = law.at(growth.ranks(0), 0);
        const std::int64_t more = law.at(growth.ranks(1), 1) - first;
        if (more <= 0) continue;
        law.*per = (counts[1] - counts[0]) / more;
        law.fixed = counts[0] - law.*per * first;
        if (is_right(law)) return law;
    }
    return {};
}

double Scaling::at(const Where& where) const {
    if (logarithmic) return offset + factor * logarithm(where.ranks);
    double value = factor * power(static_cast<double>(where.ranks), exponent);
    if (by_neighbours) value *= std::sqrt(static_cast<double>(where.ranks)) - 1;
    if (round_power != 0) value = std::ldexp(value, round_power * static_cast<int>(where.round));
    if (group_power > 0) value *= static_cast<double>(where.group);
    if (group_power < 0) value /= static_cast<double>(where.group);
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        if (shared_among.at(i)) value /= static_cast<double>(where.grid.sizes.at(i));
    }
    return offset + value;
}

bool Scaling::is_constant() const {
    return factor == 0 || (!logarithmic && exponent == 0 && !by_neighbours && round_power == 0 && group_power == 0 &&
                           std::ranges::none_of(shared_among, [](bool among) { return among; }));
}

std::string Scaling::text() const {
    if (is_constant()) return "constant";
    if (logarithmic) return "a + b log2(ranks)";
    std::string text;
    const auto add = [&text](const std::string& term) { text += (text.empty() ? "" : " ") + term; };
    if (exponent == kSurface) add("ranks^(-2/3)");
    if (exponent == kEdge) add("ranks^(-1/2)");
    if (exponent == kSide) add("sqrt(ranks)");
    if (by_neighbours) add("(sqrt(ranks) - 1)");
    if (exponent == 1) add("ranks");
    if (round_power == 1) add("2^round");
    if (round_power == -1) add("2^-round");
    if (group_power > 0) add("communicator");
    if (exponent == -1) add(text.empty() ? "1 / ranks" : "/ ranks");
    if (group_power < 0) add(text.empty() ? "1 / communicator" : "/ communicator");
    constexpr std::array kNames = {"x", "y", "z"};
    std::string among;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        if (shared_among.at(i)) among += std::string(among.empty() ? "" : " ") + kNames.at(i);
    }
    if (!among.empty()) add("1 / (ranks along " + among + ")");
    return text;
}

std::vector<Scaling> scalings_of_sizes(std::span<const Seen> seen, std::size_t dimensions, bool grouped) {
    std::vector<std::pair<Where, double>> values;
    for (const Seen& observation : seen) values.emplace_back(observation.where, static_cast<double>(observation.value));
    std::vector<Scaling> exact;
    for (const Scaling& shape : exact_laws(dimensions)) {
        const bool by_dimension = std::ranges::any_of(shape.shared_among, [](bool among) { return among; });
        const bool by_number_of_groups = shape.exponent != 0 && shape.group_power != 0;
        if ((by_dimension || by_number_of_groups) && !exact.empty()) continue;
        Scaling law = with_factor(shape, values);
        if (law.residual > kExact) continue;
        law.residual = 0;
        exact.push_back(law);
        if (!grouped) return exact;
    }
    if (!exact.empty()) return exact;
    std::vector<Scaling> close;
    for (const double exponent : {-1.0, kSurface, kEdge}) {
        close.push_back(with_factor({.exponent = exponent}, values));
    }
    close.push_back(logarithmic(values));
    const auto best = std::ranges::min_element(close, {}, &Scaling::residual);
    if (best->residual > kSizeTolerance) return {};
    return {*best};
}

Scaling scaling_of_times(Values seen, bool by_side) {
    std::vector<Scaling> laws;
    for (const double exponent : {0.0, -1.0, kSurface, kEdge}) {
        laws.push_back(with_factor({.exponent = exponent}, seen));
    }
    if (by_side) laws.push_back(with_factor({.exponent = kSide}, seen));
    // A growing law is accepted only if it fits well: otherwise noise would be multiplied by the number of ranks.
    for (const Scaling& law : {logarithmic(seen), with_factor({.exponent = 1}, seen)}) {
        if (law.residual <= kTimeTolerance && law.factor > 0) laws.push_back(law);
    }
    const auto near = std::ranges::find_if(laws, [](const Scaling& law) { return law.residual <= kTimeTolerance; });
    return near != laws.end() ? *near : *std::ranges::min_element(laws, {}, &Scaling::residual);
}

}  // namespace waywiser::extrapolate
