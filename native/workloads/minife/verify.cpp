#include "workloads/minife/verify.hpp"

#include "workloads/minife/analytic.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace waywiser::minife {
namespace {

/// Coupling of a free node with its neighbour at offset (dx, dy, dz): K x M x M + M x K x M + M x M x K of the linear
/// elements of one dimension, K = [-1 2 -1] / h and M = h [1 4 1] / 6. It shares nothing with the Gauss integration.
class ClosedForm {
public:
    explicit ClosedForm(const Mesh& mesh) {
        std::array<std::array<double, 2>, 3> k{};
        std::array<std::array<double, 2>, 3> m{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double h = mesh.spacing(axis);
            k[axis] = {2 / h, -1 / h};
            m[axis] = {4 * h / 6, h / 6};
            load_ *= h;
        }
        for (std::size_t off = 0; off < coupling_.size(); ++off) {
            const std::size_t x = off & 1, y = off >> 1 & 1, z = off >> 2;
            coupling_[off] = k[0][x] * m[1][y] * m[2][z] + m[0][x] * k[1][y] * m[2][z] + m[0][x] * m[1][y] * k[2][z];
        }
    }
    [[nodiscard]] double coupling(const Index3& from, const Index3& to) const {
        return coupling_[static_cast<std::size_t>((from[0] != to[0]) + 2 * (from[1] != to[1]) +
                                                  4 * (from[2] != to[2]))];
    }
    [[nodiscard]] double load() const { return load_; }

private:
    std::array<double, 8> coupling_{};  ///< by the axes on which the nodes differ
    double load_ = 1;
};

/// What one rank finds; summed over the ranks.
struct Findings {
    double wrong = 0;
    double right_side_squared = 0;
    double true_residual_squared = 0;
    double gap_squared = 0;
    double free_sum = 0;
    double free_squared = 0;
    double centre = 0;
    double compared = 0;
};

bool close(double value, double expected, double scale) {
    return std::abs(value - expected) <= 1e-12 * scale;  // false for NaN
}

/// A number in [-1, 1) for each node, the same on every rank.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
/// pp. 453-472, doi:10.1145/2660193.2660195 (the mixing of SplitMix64).
double random_value(const Mesh& mesh, const Index3& node) {
    auto bits = (static_cast<std::uint64_t>(mesh.node_id(node)) + 1) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
    return static_cast<double>(static_cast<std::int64_t>(bits ^ bits >> 31)) * 0x1p-63;
}

class Checker {
public:
    explicit Checker(const Layout& layout) : layout_(layout), mesh_(layout.mesh), form_(mesh_) {}

    /// Every offset, column and value. \param ids  of the nodes at all positions, as their owners have them
    void check_matrix(const Csr& matrix, const Field<double>& ids) {
        Index row = 0;
        Index entry = 0;
        for_each(layout_.owned, [&](const Index3& node) {
            findings.wrong += matrix.row_offsets[row++] != entry;
            for_each_neighbour(node, [&](const Index3& to) {
                const std::int32_t column = matrix.columns[entry];
                const bool in_range = column >= 0 && column < ids.size();
                const bool right_node = in_range && ids[column] == static_cast<double>(mesh_.node_id(to));
                findings.wrong += !right_node || !close(matrix.values[entry], entry_of(node, to), scale(node));
                ++entry;
            });
        });
        findings.wrong += matrix.row_offsets[row] != entry || entry != matrix.entries();
    }

    /// \param product  of the operator and the random field
    void check_product(const Field<double>& product) {
        Field<double> x(layout_);  // by formula in the halo, too, so that the exchange is checked as well
        for_each(layout_.reach, [&](const Index3& n) { x[layout_.position(n)] = random_value(mesh_, n); });
        for_each(layout_.owned, [&](const Index3& node) {
            const double expected = row_times(node, x);
            findings.wrong += !close(product[layout_.position(node)], expected, scale(node));
        });
    }

    void check_solution(const CgResult& result, const Array<double>& right_sides) {
        Index row = 0;
        for_each(layout_.owned, [&](const Index3& node) {
            const Index position = layout_.position(node);
            const double right_side = right_side_of(node);
            findings.wrong += !close(right_sides[row++], right_side, scale(node));
            findings.right_side_squared += right_side * right_side;
            const double true_residual = right_side - row_times(node, result.solution);
            const double gap = result.residual[position] - true_residual;
            findings.true_residual_squared += true_residual * true_residual;
            findings.gap_squared += gap * gap;
            const double u = result.solution[position];
            if (!mesh_.prescribed(node)) {
                findings.free_sum += u;
                findings.free_squared += u * u;
            }
            if (node == mesh_.centre()) findings.centre = u;
        });
    }

    Findings findings;

private:
    template <typename Visit>
    void for_each_neighbour(const Index3& node, Visit visit) const {
        for_each(mesh_.with_neighbours({.lo = node, .hi = {node[0] + 1, node[1] + 1, node[2] + 1}}), visit);
    }
    [[nodiscard]] double scale(const Index3& node) const {
        return mesh_.prescribed(node) ? 1.0 : form_.coupling(node, node);
    }
    [[nodiscard]] double entry_of(const Index3& node, const Index3& to) const {
        if (mesh_.prescribed(node)) return to == node ? 1.0 : 0.0;
        return mesh_.prescribed(to) ? 0.0 : form_.coupling(node, to);
    }
    /// No neighbour has a prescribed value.
    [[nodiscard]] bool inside(const Index3& node) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (node[axis] < 2 || node[axis] > mesh_.elements[axis] - 2) return false;
        }
        return true;
    }
    [[nodiscard]] double row_times(const Index3& node, const Field<double>& x) const {
        double sum = 0;
        if (inside(node)) {  // the same sum, for nearly all nodes without a question for each neighbour
            const Index line = layout_.reach.extent(0);
            const double* around = x.data() + layout_.position(node);
            for (Index dz = -1; dz <= 1; ++dz) {
                for (Index dy = -1; dy <= 1; ++dy) {
                    for (Index dx = -1; dx <= 1; ++dx) {
                        const Index3 offset{dx, dy, dz};
                        sum += form_.coupling({}, offset) * around[dx + line * (dy + layout_.reach.extent(1) * dz)];
                    }
                }
            }
            return sum;
        }
        for_each_neighbour(node, [&](const Index3& to) { sum += entry_of(node, to) * x[layout_.position(to)]; });
        return sum;
    }
    [[nodiscard]] double right_side_of(const Index3& node) const {
        if (mesh_.prescribed(node)) return mesh_.prescribed_value(node);
        double sum = form_.load();
        if (inside(node)) return sum;
        for_each_neighbour(node, [&](const Index3& to) {
            if (mesh_.prescribed(to)) sum -= form_.coupling(node, to) * mesh_.value_seen_by_neighbours(to);
        });
        return sum;
    }

    const Layout& layout_;
    const Mesh& mesh_;
    ClosedForm form_;
};

/// `value(node)` at the owned nodes, and in the halo what no owner would send.
template <typename Value>
Field<double> owned_field(const Layout& layout, Value value) {
    Field<double> field(layout);
    std::fill_n(field.data(), field.size(), -2.0);  // finite: stored zeros may meet it
    for_each(layout.owned, [&](const Index3& node) { field[layout.position(node)] = value(node); });
    return field;
}

/// One exchange, in either way.
void check_operator(Checker& checker, Product<double>& a, const Csr* matrix) {
    const Mesh& mesh = a.layout().mesh;
    if (matrix != nullptr) {
        // A double holds the number of a node exactly up to 2^53.
        Field<double> ids =
            owned_field(a.layout(), [&](const Index3& node) { return static_cast<double>(mesh.node_id(node)); });
        a.halo().start(ids.data());
        a.halo().finish();
        checker.check_matrix(*matrix, ids);
    } else {
        Field<double> x = owned_field(a.layout(), [&](const Index3& node) { return random_value(mesh, node); });
        Field<double> product(a.layout());
        a.apply(x.data(), product.data());
        checker.check_product(product);
    }
}

double greatest_error(const Layout& layout, const CgResult& result, double& compared) {
    double greatest = 0;
    for (const Index3& node : nodes_to_compare(layout.mesh)) {
        if (!layout.owned.contains(node)) continue;
        const Mesh& mesh = layout.mesh;
        const double exact =
            exact_solution(mesh.coordinate(0, node[0]), mesh.coordinate(1, node[1]), mesh.coordinate(2, node[2]));
        const double error = std::abs(result.solution[layout.position(node)] - exact);
        // max() would drop a NaN
        greatest = error <= greatest ? greatest : std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        ++compared;
    }
    return greatest;
}

std::string text(const char* format, double a, double b) {
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(), format, a, b);
    return line.data();
}

std::string find_failure(const Verification& v, bool by_entry, const CgResult& result, const CgStop& stop) {
    if (v.wrong_entries > 0) {
        return std::to_string(v.wrong_entries) +
               (by_entry ? " matrix entries or right sides are wrong" : " rows of a product or right sides are wrong");
    }
    // Sums of n numbers in different orders agree to n times 1e-16; of the wrong ranks they do not.
    if (!(std::abs(result.initial_norm - v.right_side_norm) <= 1e-6 * v.right_side_norm)) {
        return text("the norm of the right side is %.13g, the solver had %.13g: a sum over the ranks is wrong",
                    v.right_side_norm, result.initial_norm);
    }
    if (result.broke_down) return "conjugate gradients broke down: p.Ap is not positive";
    if (!(v.residual_gap <= v.residual_gap_allowed)) {
        return text("the residual of the recurrence is %.3g from the true one, allowed are %.3g", v.residual_gap,
                    v.residual_gap_allowed);
    }
    if (stop.fixed_iterations) return "";
    if (!result.converged) {
        return text("not converged: ||r|| = %.3g after the last iteration, wanted %.3g; give more --iterations",
                    result.residual_norm, stop.tolerance);
    }
    if (!(v.greatest_error <= v.error_allowed)) {
        return text("the greatest error against the analytic solution is %.3g, allowed are %.3g", v.greatest_error,
                    v.error_allowed);
    }
    return "";
}

}  // namespace

Verification verify(Product<double>& a, const Csr* matrix, const Array<double>& right_side, CgResult& result,
                    const CgStop& stop, MPI_Comm communicator) {
    const Layout& layout = a.layout();
    Checker checker(layout);
    check_operator(checker, a, matrix);
    a.halo().start(result.solution.data());
    a.halo().finish();
    checker.check_solution(result, right_side);
    Findings& mine = checker.findings;
    const double my_error = greatest_error(layout, result, mine.compared);

    Findings all;
    static_assert(sizeof(Findings) == 8 * sizeof(double));
    MPI_Allreduce(&mine, &all, 8, MPI_DOUBLE, MPI_SUM, communicator);
    Verification v;
    MPI_Allreduce(&my_error, &v.greatest_error, 1, MPI_DOUBLE, MPI_MAX, communicator);

    v.wrong_entries = static_cast<Index>(all.wrong);
    v.right_side_norm = std::sqrt(all.right_side_squared);
    v.true_residual_norm = std::sqrt(all.true_residual_squared);
    v.residual_gap = std::sqrt(all.gap_squared);
    v.residual_gap_allowed = 1e-13 * result.initial_norm;
    v.centre = all.centre;
    v.free_sum = all.free_sum;
    v.free_norm = std::sqrt(all.free_squared);
    v.compared_nodes = static_cast<Index>(all.compared);
    v.error_allowed = discretisation_error_bound(layout.mesh);
    if (!stop.fixed_iterations && v.compared_nodes > 0) v.error = v.greatest_error;
    v.failure = find_failure(v, matrix != nullptr, result, stop);
    return v;
}

void break_entry(const Layout& layout, Csr& matrix) {
    const Index3 centre = layout.mesh.centre();
    if (!layout.owned.contains(centre)) return;
    const Index row = layout.row(centre);
    const double diagonal = layout.mesh.prescribed(centre) ? 1.0 : ClosedForm(layout.mesh).coupling(centre, centre);
    matrix.values[matrix.row_offsets[row + 1] - 1] += 1e-6 * diagonal;
}

void break_entry(ElementSums& sums) { sums.stencil.side[3] += 1e-6 * sums.stencil.middle[0]; }

}  // namespace waywiser::minife
