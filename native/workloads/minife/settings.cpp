#include "workloads/minife/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/variants.hpp"

namespace waywiser::minife {
namespace {

/// \throws InvalidInput
void check_operators(const Settings& s) {
    if (s.operators == "all" || s.operators == "auto") return;
    for (const OperatorVariant& variant : operator_variants()) {
        if (variant.name != s.operators) continue;
        require(!s.mixed() || s.multigrid() || variant.in_single != nullptr,
                "--precision mixed requires an operator in single precision: --operator blocks, symmetric or "
                "matrix-free, not " +
                    s.operators);
        return;
    }
    static_cast<void>(find_named(operator_variants(), "operator", s.operators, all_or_auto()));
}

}  // namespace

Index default_iteration_limit(const Index3& elements) { return 100 + 10 * (elements[0] + elements[1] + elements[2]); }

Options options_of(Settings& s) {
    constexpr Index most_elements = 1'000'000;
    Options options("ww-minife",
                    "finite elements and conjugate gradients, after miniFE of the Mantevo suite.\n"
                    "Solves -Laplace u = 1 in the unit cube, u = 1 on the face x = 1 and 0 on the others.");
    options.add_count("nx", s.elements[0], 1, most_elements, "elements along x; default 10");
    options.add_count("ny", s.elements[1], 1, most_elements, "elements along y; default nx");
    options.add_count("nz", s.elements[2], 1, most_elements, "elements along z; default ny");
    options.add_real("load-imbalance", s.load_imbalance_percent, 0, 1e6,
                     "let the largest box be at least this many per cent above the average; default 0");
    options.add_text("operator", s.operators, "one of " + names_of(operator_variants()) + ", all, auto",
                     "storage of the matrix, if any; all compares them in one run, auto takes the fastest and "
                     "remembers it; default csr");
    options.add_flag("retune", s.retune, "with --operator auto: measure again which is the fastest");
    options.add_text("cg", s.cg_name, "one of " + names_of(cg_variants()),
                     "form of conjugate gradients: as the original, in two sweeps, with one overlapped reduction; "
                     "default standard");
    options.add_choice("precision", s.precision, {"double", "mixed"},
                       "mixed: iterate in single precision, correct in double; default double", "one of double, mixed");
    options.add_choice("preconditioner", s.preconditioner, {"none", "multigrid"},
                       "multigrid: a geometric V-cycle, on meshes halved while even; default none",
                       "one of none, multigrid");
    options.add_flag("overlap", s.overlap, "multiply the rows that need no halo while the halo is under way");
    options.add_real("tolerance", s.tolerance, 0, 1e6, "stop when ||r||2 is at most this, absolute; default 1e-12");
    options.add_count("iterations", s.iteration_limit, 1, 1'000'000'000,
                      "give up, unverified, after this many; default 100 + 10 (nx + ny + nz)");
    options.add_flag("fixed-iterations", s.fixed_iterations,
                     "do exactly --iterations, for benchmarks; checks matrix and residual, not the solution");
    options.add_flag("break-entry", s.break_entry,
                     "corrupt one matrix entry by a millionth, to prove that verification can fail");
    options.add_flag("roofline", s.roofline,
                     "measure the machine's bandwidths after the run, and print the share that it reached");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a phase to this file");
    return options;
}

void complete(Settings& s) {
    auto& [x, y, z] = s.elements;
    if (y == 0) y = x;
    if (z == 0) z = y;
    if (s.iteration_limit == 0) s.iteration_limit = default_iteration_limit(s.elements);
    s.cg = &find_named(cg_variants(), "cg", s.cg_name);
    if (s.multigrid()) {
        require(s.cg_name == "standard",
                "--preconditioner multigrid has its own form of conjugate gradients: it requires "
                "--cg standard, not --cg " +
                    s.cg_name);
    } else if (s.mixed()) {
        require(s.cg_name == "fused",
                "--precision mixed requires --cg fused or --preconditioner multigrid, not --cg " + s.cg_name);
    }
    check_operators(s);
}

std::vector<OperatorVariant> Settings::possible_operators() const {
    std::vector<OperatorVariant> result;
    for (const OperatorVariant& variant : operator_variants()) {
        if (!mixed() || multigrid() || variant.in_single != nullptr) result.push_back(variant);
    }
    return result;
}

std::string Settings::variant() const { return std::string(matrix->name) + solver(); }

std::string Settings::solver() const {
    std::string name;
    if (cg->name != "standard") name.append("-").append(cg->name);
    if (mixed()) name += "-mixed";
    if (multigrid()) name += "-multigrid";
    if (overlap) name += "-overlap";
    return name;
}

}  // namespace waywiser::minife
