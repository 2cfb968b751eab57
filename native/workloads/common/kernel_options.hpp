/// Options of every kernel on a grid, and their parameters in samples.
#pragma once

#include "base/json_lines.hpp"
#include "workloads/common/cartesian.hpp"
#include "workloads/common/options.hpp"

#include <span>
#include <string>

namespace waywiser {

struct KernelSettings {
    Index3 points{256, 0, 0};  ///< points on each axis; 0 until options are read: as on the preceding axis
    Index3 ranks{};            ///< ranks on each axis; 0 permits any number
    Index order = 8;           ///< order of the differences; the halo is half as wide
    std::string precision = "fp32";
    std::string variant = "auto";
    bool retune = false;
    std::string block = "auto";
    Index3 block_shape{};  ///< points of a row, rows and planes; 0 until options are read, and if automatic
    Index tries = 10;
    std::string json;

    [[nodiscard]] bool single() const { return precision == "fp32"; }
    [[nodiscard]] Index value_bytes() const { return single() ? 4 : 8; }
    [[nodiscard]] Index all_points() const { return points[0] * points[1] * points[2]; }
};

/// Adds --n1, --n2 and --n3.
/// \param least  smallest number on each axis
/// \param help   description of the points on axis 1
void add_points(Options& options, KernelSettings& settings, Index least, const std::string& help);

/// Adds --p1, --p2 and --p3.
/// \param free  help text on the choice for axes without the option
void add_cut(Options& options, KernelSettings& settings, const std::string& free);

void add_order(Options& options, KernelSettings& settings);

/// Adds --variant and --retune.
/// \param names       names of the variants
/// \param difference  difference between the variants
void add_variants(Options& options, KernelSettings& settings, const std::string& names, const std::string& difference);

/// Adds --block, for kernels that traverse a grid in blocks.
void add_block(Options& options, KernelSettings& settings);

/// Adds --precision, --tries and --json.
/// \param help  help text of --tries
void add_running(Options& options, KernelSettings& settings, const std::string& help);

/// Sets missing options from the options that are given. Called after the options have been read.
/// \throws InvalidInput  for an odd order, and for a text that is not a block
void complete(KernelSettings& settings);

/// Parameters of a sample: `n1` to `n3`, `precision` and `tries`, `p1` to `p3` and `order`.
[[nodiscard]] JsonObject parameters_of(const KernelSettings& settings);
[[nodiscard]] JsonObject parameters_of(const KernelSettings& settings, const Index3& ranks, Index order);

/// The key of a choice of the fastest variant: "order-8:fp32:256:256:256:2:1:1:2".
[[nodiscard]] std::string case_of(const KernelSettings& settings, const Index3& ranks);

/// Heading of a report: "256 x 256 x 256 points, order 8, fp32, 2 x 1 x 1 rank(s) of 2 thread(s)".
[[nodiscard]] std::string grid_text(const KernelSettings& settings, const Index3& ranks);

}  // namespace waywiser
