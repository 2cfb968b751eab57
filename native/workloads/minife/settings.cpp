#include "workloads/minife/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/options.hpp"

namespace waywiser::minife {
namespace {

/// Names as a user gives them.
struct Names {
    std::string cg{cg_variants().front().name};
    std::string precision{precisions[0].name};
    std::string preconditioner{preconditioners[0].name};
};

template <typename Entry>
std::string one_of(std::span<const Entry> entries) {
    std::string names;
    for (const Entry& entry : entries) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return "one of: " + names;
}

/// \throws InvalidInput
void check_operators(const Settings& s) {
    if (s.operators == "all" || s.operators == "auto") return;
    for (const OperatorVariant& variant : operator_variants()) {
        if (variant.name != s.operators) continue;
        require(!s.mixed || s.multigrid || variant.in_single != nullptr,
                "--precision mixed needs an operator in single precision: --operator blocks, symmetric or "
                "matrix-free, not " +
                    s.operators);
        return;
    }
    throw InvalidInput("--operator does not take '" + s.operators + "' but " + one_of(operator_variants()) +
                       ", all, auto");
}

Options table(Settings& s, Names& names) {
    constexpr Index most_elements = 1'000'000;
    Options options("ww-minife",
                    "finite elements and conjugate gradients, after miniFE of the Mantevo suite.\n"
                    "Solves -Laplace u = 1 in the unit cube, u = 1 on the face x = 1 and 0 on the others.");
    options.add_count("nx", s.elements[0], 1, most_elements, "elements along x; default 10");
    options.add_count("ny", s.elements[1], 1, most_elements, "elements along y; default nx");
    options.add_count("nz", s.elements[2], 1, most_elements, "elements along z; default ny");
    options.add_real("load-imbalance", s.load_imbalance_percent, 0, 1e6,
                     "let the largest box be at least so many per cent above the average; default 0");
    options.add_text("operator", s.operators, one_of(operator_variants()) + ", all, auto",
                     "how the matrix is stored, if at all; all compares them in one run, auto takes the fastest, and "
                     "remembers which; default csr");
    options.add_flag("retune", s.retune, "with --operator auto: measure again which is the fastest");
    options.add_text("cg", names.cg, one_of(cg_variants()),
                     "form of conjugate gradients: as the original, in two sweeps, with one overlapped reduction; "
                     "default standard");
    options.add_text("precision", names.precision, one_of<Choice>(precisions),
                     "mixed: iterate in single precision, correct in double; default double");
    options.add_text("preconditioner", names.preconditioner, one_of<Choice>(preconditioners),
                     "multigrid: a geometric V-cycle, on meshes halved while even; default none");
    options.add_flag("overlap", s.overlap, "multiply the rows that need no halo while the halo is under way");
    options.add_real("tolerance", s.tolerance, 0, 1e6, "stop when ||r||2 is at most this, absolute; default 1e-12");
    options.add_count("iterations", s.iteration_limit, 1, 1'000'000'000,
                      "give up, unverified, after so many; default 100 + 10 (nx + ny + nz)");
    options.add_flag("fixed-iterations", s.fixed_iterations,
                     "do exactly --iterations, for benchmarks; checks matrix and residual, not the solution");
    options.add_flag("break-entry", s.break_entry,
                     "corrupt one matrix entry by a millionth, to prove that verification can fail");
    options.add_flag("roofline", s.roofline,
                     "measure the machine's bandwidths after the run, and say which part of them it reached");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a phase to this file");
    options.add_flag("help", s.help, "print this and stop");
    return options;
}

}  // namespace

Index default_iteration_limit(const Index3& elements) { return 100 + 10 * (elements[0] + elements[1] + elements[2]); }

Settings read_settings(std::span<const char* const> arguments) {
    Settings settings;
    Names names;
    table(settings, names).parse(arguments);
    auto& [x, y, z] = settings.elements;
    if (y == 0) y = x;
    if (z == 0) z = y;
    if (settings.iteration_limit == 0) settings.iteration_limit = default_iteration_limit(settings.elements);
    settings.cg = &find_named(cg_variants(), "cg", names.cg);
    settings.mixed = find_named<Choice>(precisions, "precision", names.precision).name == "mixed";
    settings.multigrid =
        find_named<Choice>(preconditioners, "preconditioner", names.preconditioner).name == "multigrid";
    if (settings.multigrid) {
        require(names.cg == "standard",
                "--preconditioner multigrid has its own form of conjugate gradients; it goes "
                "with --cg standard, not with --cg " +
                    names.cg);
    } else if (settings.mixed) {
        require(names.cg == "fused",
                "--precision mixed goes with --cg fused or with --preconditioner multigrid, not "
                "with --cg " +
                    names.cg);
    }
    check_operators(settings);
    return settings;
}

std::vector<OperatorVariant> Settings::possible_operators() const {
    std::vector<OperatorVariant> result;
    for (const OperatorVariant& variant : operator_variants()) {
        if (!mixed || multigrid || variant.in_single != nullptr) result.push_back(variant);
    }
    return result;
}

std::string Settings::variant() const { return std::string(matrix->name) + solver(); }

std::string Settings::solver() const {
    std::string name;
    if (cg != &cg_variants().front()) name.append("-").append(cg->name);
    if (mixed) name += "-mixed";
    if (multigrid) name += "-multigrid";
    if (overlap) name += "-overlap";
    return name;
}

std::string help_text() {
    Settings settings;
    Names names;
    return table(settings, names).help();
}

}  // namespace waywiser::minife
