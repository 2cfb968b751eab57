#include "workloads/common/kernel_options.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/threads.hpp"

#include <charconv>
#include <string_view>

namespace waywiser {
namespace {

constexpr Index most_points = 1'000'000;
constexpr Index greatest_order = 16;

/// Parses three positive numbers separated by x; returns zeros otherwise.
Index3 read_shape(std::string_view text) {
    Index3 shape{};
    const char* const end = text.data() + text.size();
    const char* at = text.data();
    for (Index& number : shape) {
        const auto [after, error] = std::from_chars(at, end, number);
        const bool last = &number == &shape.back();
        const bool ends_well = last ? after == end : after != end && *after == 'x';
        if (error != std::errc{} || !ends_well || number < 1 || number > most_points) return {};
        at = last ? after : after + 1;
    }
    return shape;
}

}  // namespace

void add_points(Options& options, KernelSettings& s, Index least, const std::string& help) {
    const std::string n1 = std::to_string(s.points[0]);
    options.add_count("n1", s.points[0], least, most_points, help + ", contiguous in memory; default " + n1);
    options.add_count("n2", s.points[1], least, most_points, "points on axis 2; default n1");
    options.add_count("n3", s.points[2], least, most_points, "points on axis 3; default n2");
}

void add_cut(Options& options, KernelSettings& s, const std::string& free) {
    options.add_count("p1", s.ranks[0], 0, most_points, "ranks on axis 1; default 0: " + free);
    options.add_count("p2", s.ranks[1], 0, most_points, "ranks on axis 2; default 0");
    options.add_count("p3", s.ranks[2], 0, most_points, "ranks on axis 3; default 0");
}

void add_order(Options& options, KernelSettings& s) {
    options.add_count("order", s.order, 2, greatest_order,
                      "even order of the differences; the halo is half as wide; default " + std::to_string(s.order));
}

void add_variants(Options& options, KernelSettings& s, const std::string& names, const std::string& difference) {
    options.add_text("variant", s.variant, names + ", all, or auto",
                     difference + "; auto: the fastest of a short run, which is remembered; default " + s.variant);
    options.add_flag("retune", s.retune, "forget which variant was the fastest");
}

void add_block(Options& options, KernelSettings& s) {
    options.add_text("block", s.block, "points of a row, rows and planes, as 512x16x4, or auto",
                     "size of a cache block; auto: the fastest of a few, as for --variant; default " + s.block);
}

void add_running(Options& options, KernelSettings& s, const std::string& help) {
    options.add_choice("precision", s.precision, {"fp32", "fp64"}, "precision of the points; default " + s.precision);
    options.add_count("tries", s.tries, 1, 1'000'000, help);
    options.add_text("json", s.json, "the name of a file", "write one JSON object a row of the table to this file");
}

void complete(KernelSettings& s) {
    if (s.points[1] == 0) s.points[1] = s.points[0];
    if (s.points[2] == 0) s.points[2] = s.points[1];
    require(s.order % 2 == 0, "--order '" + std::to_string(s.order) + "': expected an even number from 2 to 16");
    if (s.block == "auto") return;
    s.block_shape = read_shape(s.block);
    require(
        s.block_shape != Index3{},
        "--block '" + s.block + "': expected auto, or points of a row, rows and planes from 1 to 1000000, as 512x16x4");
}

JsonObject parameters_of(const KernelSettings& s) {
    return {
        {"n1", s.points[0]}, {"n2", s.points[1]}, {"n3", s.points[2]}, {"precision", s.precision}, {"tries", s.tries}};
}

JsonObject parameters_of(const KernelSettings& s, const Index3& ranks, Index order) {
    return parameters_of(s).add("p1", ranks[0]).add("p2", ranks[1]).add("p3", ranks[2]).add("order", order);
}

std::string case_of(const KernelSettings& s, const Index3& ranks) {
    return text("order-%lld:%s:%s:%s:%d", s.order, s.precision, joined(s.points, ":"), joined(ranks, ":"),
                thread_limit());
}

std::string grid_text(const KernelSettings& s, const Index3& ranks) {
    return text("%s points, order %lld, %s, %s rank(s) of %d thread(s)", product_text(s.points), s.order, s.precision,
                product_text(ranks), thread_limit());
}

}  // namespace waywiser
