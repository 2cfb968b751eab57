/// Output of ww-shallow: text lines and JSON objects.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/shallow/integrator.hpp"
#include "workloads/shallow/truth.hpp"

#include <optional>
#include <string>

namespace waywiser::shallow {

struct Run {
    const Settings* settings;
    int ranks;
    MachineLimits limits;
};

struct Order {
    double value;  ///< order of convergence between two grids, or of the invariant's change between two steps
    double required;
};

struct Truths {
    Identities identities;
    std::vector<Invariants> start, end;  ///< invariants of each level
    std::vector<Errors> errors;          ///< errors of test 2
    std::optional<Order> order;
    std::vector<std::uint64_t> digests;
    bool repeats = true;  ///< true if all tries have the same digests
};

struct Measured {
    const Run* run;
    Tries tries;
    Sections sections;  ///< times of the slowest rank, for all tries together
    Truths truths;
};

inline constexpr Column columns[] = {
    {"variant", "%-12s", "variant", "quantity that the momentum equation conserves"},
    median_s,
    min_s,
    max_s,
    {"Mcell-levels/s", "%15.3f", "points/s", "millions of cells, levels and steps", 1e-6},
    {"GFLOP/s", "%9.2f", "flops/s", "operations of the formula", 1e-9},
    {"h l2", "%10.3e", "error", "error of the thickness (l2), of test 2"},
};

[[nodiscard]] std::string description(const Run& run);

[[nodiscard]] Sample sample(const Measured& measured);
/// Notes below the row of the table.
[[nodiscard]] std::string remarks(const Measured& measured);

/// The greatest relative change of all levels.
[[nodiscard]] double change(const Truths& truths, double Invariants::* which);

}  // namespace waywiser::shallow
