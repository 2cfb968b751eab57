/// Settings of ww-minife.
#pragma once

#include "workloads/common/options.hpp"
#include "workloads/minife/variants.hpp"

#include <string>
#include <vector>

namespace waywiser::minife {

struct Settings {
    Index3 elements{10, 0, 0};  ///< 0 until options are read: as on the preceding axis
    double load_imbalance_percent = 0;
    std::string operators = "csr";            ///< name of an operator, "all" or "auto"
    const OperatorVariant* matrix = nullptr;  ///< operator of the current run
    bool retune = false;                      ///< ignore the cache of choices
    std::string cg_name = "standard";
    const CgVariant* cg = nullptr;  ///< none until options are read
    std::string precision = "double";
    std::string preconditioner = "none";
    bool overlap = false;
    /// The tolerance is absolute. miniFE stops at 2.2e-16, which the recurrence reaches although the true residual
    /// stays near 1e-16 ||b||, so that the last iterations improve nothing. 1e-12 leaves the error of the solver below
    /// 1e-9.
    double tolerance = 1e-12;
    Index iteration_limit = 0;  ///< 0 until options are read: `default_iteration_limit`
    bool fixed_iterations = false;
    bool break_entry = false;
    bool roofline = false;
    std::string json;

    /// True if the solver iterates in single and refines in double precision.
    [[nodiscard]] bool mixed() const { return precision == "mixed"; }
    [[nodiscard]] bool multigrid() const { return preconditioner == "multigrid"; }
    /// The operators that support the precision and the preconditioner.
    [[nodiscard]] std::vector<OperatorVariant> possible_operators() const;

    /// The four choices in one word, plain ones omitted: "csr", "matrix-free-fused-overlap".
    [[nodiscard]] std::string variant() const;
    /// variant() without the operator: "", "-fused-overlap".
    [[nodiscard]] std::string solver() const;
};

/// Iterations grow like 3.3 times the largest axis (measured from 10 to 240 elements); this leaves room for thin boxes.
[[nodiscard]] Index default_iteration_limit(const Index3& elements);

[[nodiscard]] Options options_of(Settings& settings);

/// Derives missing settings from those given.
/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::minife
