#include "workloads/minife/verify.hpp"

#include "workloads/minife/analytic.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace waywiser::minife {
namespace {

/// Coupling of a free node with its neighbour at offset (dx, dy, dz): K x M x M + M x K x M + M x M x K of the linear
/// elements of one dimension, K = [-1 2 -1] / h and M = h [1 4 1] / 6. It shares nothing with the Gauss integration.
class ClosedForm {
public:
    explicit ClosedForm(const Mesh& mesh) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double h = mesh.spacing(axis);
            k_[axis] = {2 / h, -1 / h};
            m_[axis] = {4 * h / 6, h / 6};
            load_ *= h;
        }
    }
    [[nodiscard]] double coupling(const Index3& from, const Index3& to) const {
        const auto off = [&](std::size_t axis) { return static_cast<std::size_t>(from[axis] != to[axis]); };
        const auto k = [&](std::size_t axis) { return k_[axis][off(axis)]; };
        const auto m = [&](std::size_t axis) { return m_[axis][off(axis)]; };
        return k(0) * m(1) * m(2) + m(0) * k(1) * m(2) + m(0) * m(1) * k(2);
    }
    [[nodiscard]] double load() const { return load_; }

private:
    std::array<std::array<double, 2>, 3> k_{};
    std::array<std::array<double, 2>, 3> m_{};
    double load_ = 1;
};

/// What one rank finds; summed over the ranks.
struct Findings {
    double wrong = 0;
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

class Checker {
public:
    Checker(const Layout& layout, const Csr& matrix, const Array<double>& ids, const CgResult& result)
        : layout_(layout), mesh_(layout.mesh), matrix_(matrix), ids_(ids), result_(result), form_(mesh_) {}

    Findings check_rows() {
        for_each(layout_.owned, [&](const Index3& node) { check_row(node); });
        findings_.wrong += matrix_.row_offsets[row_] != entry_ || entry_ != matrix_.entries();
        return findings_;
    }

private:
    void check_row(const Index3& node) {
        const bool prescribed = mesh_.prescribed(node);
        const double scale = prescribed ? 1.0 : form_.coupling(node, node);
        double right_side = prescribed ? mesh_.prescribed_value(node) : form_.load();
        double product = 0;
        findings_.wrong += matrix_.row_offsets[row_] != entry_;
        const Box self{.lo = node, .hi = {node[0] + 1, node[1] + 1, node[2] + 1}};
        for_each(mesh_.with_neighbours(self), [&](const Index3& to) {
            double expected = 0;
            if (prescribed) {
                expected = to == node ? 1.0 : 0.0;
            } else if (mesh_.prescribed(to)) {
                right_side -= form_.coupling(node, to) * mesh_.value_seen_by_neighbours(to);
            } else {
                expected = form_.coupling(node, to);
            }
            const std::int32_t column = matrix_.columns[entry_];
            const bool in_range = column >= 0 && static_cast<std::size_t>(column) < ids_.size();
            const bool right_node = in_range && ids_[column] == static_cast<double>(mesh_.node_id(to));
            findings_.wrong += !right_node || !close(matrix_.values[entry_], expected, scale);
            if (in_range) product += expected * result_.solution[column];
            ++entry_;
        });
        findings_.wrong += !close(matrix_.right_side[row_], right_side, scale);

        const double true_residual = right_side - product;
        const double gap = result_.residual[row_] - true_residual;
        findings_.true_residual_squared += true_residual * true_residual;
        findings_.gap_squared += gap * gap;
        const double u = result_.solution[row_];
        if (!prescribed) {
            findings_.free_sum += u;
            findings_.free_squared += u * u;
        }
        if (node == mesh_.centre()) findings_.centre = u;
        ++row_;
    }

    const Layout& layout_;
    const Mesh& mesh_;
    const Csr& matrix_;
    const Array<double>& ids_;
    const CgResult& result_;
    ClosedForm form_;
    Findings findings_;
    Index row_ = 0;
    Index entry_ = 0;
};

/// The number of each node, own and halo, as its owner has it: a double holds it exactly up to 2^53.
Array<double> exchange_ids(const Layout& layout, Halo& halo) {
    Array<double> ids(static_cast<std::size_t>(layout.rows() + halo.received_nodes()));
    Index row = 0;
    for_each(layout.owned, [&](const Index3& node) { ids[row++] = static_cast<double>(layout.mesh.node_id(node)); });
    for (; row < static_cast<Index>(ids.size()); ++row) ids[row] = -1;
    halo.start(ids.data());
    halo.finish();
    return ids;
}

double greatest_error(const Layout& layout, const CgResult& result, double& compared) {
    double greatest = 0;
    for (const Index3& node : nodes_to_compare(layout.mesh)) {
        if (!layout.owned.contains(node)) continue;
        const Mesh& mesh = layout.mesh;
        const double exact =
            exact_solution(mesh.coordinate(0, node[0]), mesh.coordinate(1, node[1]), mesh.coordinate(2, node[2]));
        const double error = std::abs(result.solution[layout.row(node)] - exact);
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

std::string find_failure(const Verification& v, const CgResult& result, const CgStop& stop) {
    if (v.wrong_entries > 0) return std::to_string(v.wrong_entries) + " matrix entries or right sides are wrong";
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

Verification verify(const Layout& layout, const Csr& matrix, Halo& halo, CgResult& result, const CgStop& stop,
                    MPI_Comm communicator) {
    const Array<double> ids = exchange_ids(layout, halo);
    halo.start(result.solution.data());
    halo.finish();
    Findings mine = Checker(layout, matrix, ids, result).check_rows();
    const double my_error = greatest_error(layout, result, mine.compared);

    Findings all;
    static_assert(sizeof(Findings) == 7 * sizeof(double));
    MPI_Allreduce(&mine, &all, 7, MPI_DOUBLE, MPI_SUM, communicator);
    Verification v;
    MPI_Allreduce(&my_error, &v.greatest_error, 1, MPI_DOUBLE, MPI_MAX, communicator);

    v.wrong_entries = static_cast<Index>(all.wrong);
    v.true_residual_norm = std::sqrt(all.true_residual_squared);
    v.residual_gap = std::sqrt(all.gap_squared);
    v.residual_gap_allowed = 1e-13 * result.initial_norm;
    v.centre = all.centre;
    v.free_sum = all.free_sum;
    v.free_norm = std::sqrt(all.free_squared);
    v.compared_nodes = static_cast<Index>(all.compared);
    v.error_allowed = discretisation_error_bound(layout.mesh);
    if (!stop.fixed_iterations && v.compared_nodes > 0) v.error = v.greatest_error;
    v.failure = find_failure(v, result, stop);
    return v;
}

void break_entry(const Layout& layout, Csr& matrix) {
    const Index3 centre = layout.mesh.centre();
    if (!layout.owned.contains(centre)) return;
    const Index row = layout.row(centre);
    const double diagonal = layout.mesh.prescribed(centre) ? 1.0 : ClosedForm(layout.mesh).coupling(centre, centre);
    matrix.values[matrix.row_offsets[row + 1] - 1] += 1e-6 * diagonal;
}

}  // namespace waywiser::minife
