/// What ww-shallow leaves: lines for people and JSON objects.
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

/// What another integration has shown.
struct Order {
    double value;  ///< of convergence between two grids, or of the invariant's change between two steps
    double wanted;
};

struct Truths {
    Identities identities;
    std::vector<Invariants> start, end;  ///< of each level
    std::vector<Errors> errors;          ///< of test 2
    std::optional<Order> order;
    std::vector<std::uint64_t> digests;
    bool repeats = true;  ///< whether each try has come to the same digests
};

struct Measured {
    const Run* run;
    Tries tries;
    Sections sections;  ///< of the slowest rank, all tries together
    Truths truths;
};

[[nodiscard]] std::string heading(const Run& run);

/// Empty if it is verified.
[[nodiscard]] std::string failure(const Measured& measured);
[[nodiscard]] std::string row(const Measured& measured);
[[nodiscard]] Sample sample(const Measured& measured);
/// What follows the row.
[[nodiscard]] std::string remarks(const Measured& measured);

/// The greatest relative change of all levels.
[[nodiscard]] double change(const Truths& truths, double Invariants::* which);

}  // namespace waywiser::shallow
