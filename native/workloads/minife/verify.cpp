#include "workloads/minife/verify.hpp"

#include "base/hash.hpp"
#include "workloads/common/greatest.hpp"
#include "workloads/minife/analytic.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace waywiser::minife {
namespace {

/// Coupling of a free node with its neighbour at offset (dx, dy, dz): `K x M x M + M x K x M + M x M x K` of linear
/// elements in one dimension. Their matrices are K = [-1 2 -1] / h and M = h [1 4 1] / 6. This form shares nothing with
/// the Gauss integration.
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
    std::array<double, 8> coupling_{};  ///< couplings by the set of axes on which the nodes differ
    double load_ = 1;
};

/// The findings of one rank, which are summed over the ranks.
struct Findings {
    double wrong = 0;
    double right_side_squared = 0;
    double true_residual_squared = 0;
    double gap_squared = 0;
    double free_sum = 0;
    double free_squared = 0;
    double centre = 0;
    double compared = 0;

    Findings& operator+=(const Findings& more) {
        wrong += more.wrong;
        right_side_squared += more.right_side_squared;
        true_residual_squared += more.true_residual_squared;
        gap_squared += more.gap_squared;
        free_sum += more.free_sum;
        free_squared += more.free_squared;
        centre += more.centre;
        compared += more.compared;
        return *this;
    }
};

bool close(double value, double expected, double scale) {
    return std::abs(value - expected) <= 1e-12 * scale;  // The result is false for NaN.
}

/// A number in [-1, 1) for each node, the same on every rank.
double random_value(const Mesh& mesh, const Index3& node) {
    const std::uint64_t bits = splitmix((static_cast<std::uint64_t>(mesh.node_id(node)) + 1) * kGolden);
    return static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
}

/// Compares with the closed form, slab by slab.
class Checker {
public:
    explicit Checker(const Layout& layout) : layout_(layout), mesh_(layout.mesh), form_(mesh_) {}

    /// Checks every offset, column and value. \param ids  node numbers at all positions, as their owners have them
    [[nodiscard]] Findings check_matrix(const Csr& matrix, const Field<double>& ids) const {
        Findings findings = sum_over_slabs(layout_.owned, [&](const Box& slab) {
            Findings mine;
            Box before = layout_.owned;
            before.hi[2] = slab.lo[2];
            Index entry = entries(before);
            Index row = before.volume();
            for_each(slab, [&](const Index3& node) {
                mine.wrong += matrix.row_offsets[row++] != entry;
                for_each(mesh_.around(node), [&](const Index3& to) {
                    const std::int32_t column = matrix.columns[entry];
                    const bool in_range = column >= 0 && column < ids.size();
                    const bool right_node = in_range && ids[column] == static_cast<double>(mesh_.node_id(to));
                    mine.wrong += !right_node || !close(matrix.values[entry], entry_of(node, to), scale(node));
                    ++entry;
                });
            });
            return mine;
        });
        const Index all = entries(layout_.owned);
        findings.wrong += matrix.row_offsets[layout_.owned.volume()] != all || all != matrix.entries();
        return findings;
    }

    /// \param product  product of the operator and the random field
    [[nodiscard]] Findings check_product(const Field<double>& product) const {
        Field<double> x(layout_);  // The halo is also set by formula, so that the exchange is verified as well.
        for_each_slab(layout_.reach, [&](const Box& slab) {
            for_each(slab, [&](const Index3& n) { x[layout_.position(n)] = random_value(mesh_, n); });
        });
        return with_products(x, [&](const Index3& node, double expected, Findings& mine) {
            mine.wrong += !close(product[layout_.position(node)], expected, scale(node));
        });
    }

    [[nodiscard]] Findings check_solution(const CgResult& result, const Array<double>& right_sides) const {
        return with_products(result.solution, [&](const Index3& node, double times_solution, Findings& mine) {
            const Index position = layout_.position(node);
            const double right_side = right_side_of(node);
            mine.wrong += !close(right_sides[layout_.owned.position(node)], right_side, scale(node));
            mine.right_side_squared += right_side * right_side;
            const double true_residual = right_side - times_solution;
            const double gap = result.residual[position] - true_residual;
            mine.true_residual_squared += true_residual * true_residual;
            mine.gap_squared += gap * gap;
            const double u = result.solution[position];
            if (!mesh_.prescribed(node)) {
                mine.free_sum += u;
                mine.free_squared += u * u;
            }
            if (node == mesh_.centre()) mine.centre = u;
        });
    }

private:
    [[nodiscard]] double scale(const Index3& node) const {
        return mesh_.prescribed(node) ? 1.0 : form_.coupling(node, node);
    }
    [[nodiscard]] double entry_of(const Index3& node, const Index3& to) const {
        if (mesh_.prescribed(node)) return to == node ? 1.0 : 0.0;
        return mesh_.prescribed(to) ? 0.0 : form_.coupling(node, to);
    }
    /// Entries in the rows of a box of nodes: each row has one entry per node around its own node.
    [[nodiscard]] Index entries(const Box& nodes) const {
        Index product = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Index sum = 0;
            for (Index i = nodes.lo[axis]; i < nodes.hi[axis]; ++i) {
                Index3 node{};
                node[axis] = i;
                sum += mesh_.around(node).extent(axis);
            }
            product *= sum;
        }
        return product;
    }
    /// End of the range on this axis in which no neighbour has a prescribed value (2 to n - 2).
    [[nodiscard]] Index deep_end(std::size_t axis) const { return mesh_.elements[axis] - 1; }
    [[nodiscard]] bool deep(std::size_t axis, Index i) const { return i >= 2 && i < deep_end(axis); }

    /// Calls `visit(node, (A x)(node), findings)` for all owned nodes.
    template <typename Visit>
    [[nodiscard]] Findings with_products(const Field<double>& x, Visit visit) const {
        const Index first = layout_.owned.lo[0];
        return sum_over_slabs(layout_.owned, [&](const Box& slab) {
            Findings mine;
            std::vector<double> line(static_cast<std::size_t>(slab.extent(0)));
            for_each(slab, [&](const Index3& node) {
                if (node[0] == first) multiply_line(node, x, line);
                visit(node, line[static_cast<std::size_t>(node[0] - first)], mine);
            });
            return mine;
        });
    }

    /// Computes A x on the line that starts at an owned node.
    void multiply_line(const Index3& start, const Field<double>& x, std::vector<double>& line) const {
        const auto& [first, y, z] = start;
        const Index end = layout_.owned.hi[0];
        const bool all_deep = deep(1, y) && deep(2, z);
        const Index deep_from = all_deep ? std::clamp<Index>(2, first, end) : end;
        const Index deep_to = all_deep ? std::clamp(deep_end(0), deep_from, end) : end;
        const auto at = [&](Index i) -> double& { return line[static_cast<std::size_t>(i - first)]; };
        for (Index i = first; i < deep_from; ++i) at(i) = row_times({i, y, z}, x);
        for (Index i = deep_to; i < end; ++i) at(i) = row_times({i, y, z}, x);
        if (deep_from == deep_to) return;
        double* deep_line = &at(deep_from);
        std::fill_n(deep_line, deep_to - deep_from, 0.0);
        for_each(mesh_.around({deep_from, y, z}), [&](const Index3& to) {
            const double coupling = form_.coupling({deep_from, y, z}, to);
            const double* values = x.data() + layout_.position(to);
            for (Index i = 0; i < deep_to - deep_from; ++i) deep_line[i] += coupling * values[i];
        });
    }

    [[nodiscard]] double row_times(const Index3& node, const Field<double>& x) const {
        double sum = 0;
        for_each(mesh_.around(node), [&](const Index3& to) { sum += entry_of(node, to) * x[layout_.position(to)]; });
        return sum;
    }
    [[nodiscard]] double right_side_of(const Index3& node) const {
        if (mesh_.prescribed(node)) return mesh_.prescribed_value(node);
        double sum = form_.load();
        if (deep(0, node[0]) && deep(1, node[1]) && deep(2, node[2])) return sum;
        for_each(mesh_.around(node), [&](const Index3& to) {
            if (mesh_.prescribed(to)) sum -= form_.coupling(node, to) * mesh_.value_seen_by_neighbours(to);
        });
        return sum;
    }

    const Layout& layout_;
    const Mesh& mesh_;
    ClosedForm form_;
};

/// `value(node)` at the owned nodes, and values in the halo that no owner would send.
template <typename Value>
Field<double> owned_field(const Layout& layout, Value value) {
    Field<double> field(layout);
    std::fill_n(field.data(), field.size(), -2.0);  // The value is finite, because stored zeros may multiply it.
    for_each_slab(layout.owned, [&](const Box& slab) {
        for_each(slab, [&](const Index3& node) { field[layout.position(node)] = value(node); });
    });
    return field;
}

/// Uses one exchange in either case.
Findings check_operator(const Checker& checker, Product<double>& a, const Csr* matrix) {
    const Mesh& mesh = a.layout().mesh;
    if (matrix != nullptr) {
        // A double holds the number of a node exactly up to 2^53.
        Field<double> ids =
            owned_field(a.layout(), [&](const Index3& node) { return static_cast<double>(mesh.node_id(node)); });
        a.halo().start(ids.data());
        a.halo().finish();
        return checker.check_matrix(*matrix, ids);
    }
    Field<double> x = owned_field(a.layout(), [&](const Index3& node) { return random_value(mesh, node); });
    Field<double> product(a.layout());
    a.apply(x.data(), product.data());
    return checker.check_product(product);
}

double greatest_error(const Layout& layout, const CgResult& result, double& compared) {
    double greatest = 0;
    for (const Index3& node : nodes_to_compare(layout.mesh)) {
        if (!layout.owned.contains(node)) continue;
        const Mesh& mesh = layout.mesh;
        const double exact =
            exact_solution(mesh.coordinate(0, node[0]), mesh.coordinate(1, node[1]), mesh.coordinate(2, node[2]));
        greatest = greater(greatest, result.solution[layout.position(node)] - exact);
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
    // Sums of n numbers in different orders agree to n times 1e-16; sums over wrong ranks do not.
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
        return text("not converged: ||r|| = %.3g after the last iteration, limit %.3g; give more --iterations",
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
    const Checker checker(layout);
    Findings mine = check_operator(checker, a, matrix);
    a.halo().start(result.solution.data());
    a.halo().finish();
    mine += checker.check_solution(result, right_side);
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
