/// Systems along the lines of an axis, solved by elimination where ranks share a line.
///
/// Lines pass through the ranks in stages: while a rank eliminates in a stage, the next rank is in the stage before. In
/// pencils, a stage is a row of lines; in a multipartition, all lines of a box. Compared with a transposition, the
/// pipeline sends a few values per line instead of whole fields. The order of all operations is as on one rank, so that
/// results do not depend on the number of ranks.
///
/// In pencils, the last rank substitutes in a stage as soon as it has eliminated. The substitution of each other rank
/// lags two more stages behind than the substitution of the following rank: one per direction. The values that
/// elimination keeps of these few rows stay in the cache.
#pragma once

#include "workloads/npb/carrier.hpp"
#include "workloads/npb/problem.hpp"
#include "workloads/npb/schemes.hpp"
#include "workloads/npb/shares.hpp"

namespace waywiser::npb {

/// Adjacent lines.
struct Bundle {
    Line first;
    Index across;  ///< distance between lines, in values
    Index count;
};

/// `Lines` eliminates forwards and substitutes backwards on a box's parts of at most `at_once` lines. Several threads
/// call its members at a time:
///
///   forward(bundle, carry, kept)   carry: `carried` values per line from the preceding points, replaced by the values
///                                  for the following points; kept: `kept(points)` values for `backward`
///   backward(bundle, kept, carry)  carry: `returned` values per line from the following points, replaced by the values
///                                  for the preceding points
///
/// All carries begin as zeros, which represent the fixed values on the faces. `Lines` may have `solve(bundle, kept)`
/// for lines that lie on one rank. With `as_bt`, carries are sent as in NPB's BT: for as many lines as the largest box
/// has, with one wait each for the send and for the receive.
template <class Lines>
class Pipeline {
public:
    Pipeline(Problem& problem, std::size_t axis)
        : problem_(problem),
          axis_(axis),
          row_axis_(axis == 0 ? 1 : 0),
          group_axis_(axis == 2 ? 1 : 2),
          ahead_(!Lines::as_bt, problem.communicator),
          back_(!Lines::as_bt, problem.communicator) {
        std::vector<Cell*> cells;
        cells.reserve(problem.cells.size());
        for (Cell& cell : problem.cells) cells.push_back(&cell);
        std::ranges::sort(cells, {}, [&](const Cell* cell) { return cell->cartesian.place()[axis]; });
        for (Cell* cell : cells) add_stages(*cell);
        const Cartesian& box = problem.cells.front().cartesian;
        const auto behind = static_cast<std::size_t>(box.ranks()[axis] - 1 - box.place()[axis]);
        lag_ = problem.partition.multiple() ? stages_.size() : std::min(stages_.size(), 2 * behind);
    }

    /// Collective over the ranks that share the lines.
    void solve(Lines& solver) {
        if (kept_.size() == 0) kept_ = Array<double>(static_cast<std::size_t>(place_kept(solver)));
        if (!shared()) {
            for (const Stage& stage : stages_) solve_whole(solver, stage);
            return;
        }
        for (std::size_t n = 0; n < stages_.size() + lag_; ++n) {
            if (n < stages_.size()) forward(solver, stages_[n]);
            if (n >= lag_) backward(solver, returning(n - lag_));
        }
        ahead_.wait();
        back_.wait();
    }

private:
    struct Stage {
        Cell* cell;
        Region region;  ///< inner points of the box
        int low, high;  ///< ranks before and behind, or -1
        Index kept;     ///< start of the stage's part of `kept_`
    };

    void add_stages(Cell& cell) {
        const auto rank_on = [&](Side side) {
            if (cell.cartesian.neighbour(axis_, side) < 0) return -1;
            return problem_.partition.neighbour[axis_][side == Side::low ? 0 : 1];
        };
        Stage stage{&cell, inner_points(cell.cartesian), rank_on(Side::low), rank_on(Side::high), 0};
        if (problem_.partition.multiple()) {
            stages_.push_back(stage);
            return;
        }
        const Index rows = stage.region.extent(group_axis_);
        for (Index row = 0; row < rows; ++row) {
            stage.region.hi[group_axis_] = stage.region.lo[group_axis_] + 1;
            stages_.push_back(stage);
            ++stage.region.lo[group_axis_];
        }
    }

    /// Reserves the kept values of all bundles of the stages in flight if ranks share lines, otherwise of one bundle
    /// per thread. Returns the number of values.
    Index place_kept(const Lines& solver) {
        Index most = 0;
        for (const Stage& stage : stages_) {
            most = std::max(most, (shared() ? bundles(solver, stage) : thread_limit()) * kept(solver, stage));
        }
        if (!shared()) return most;
        const std::size_t rooms = std::min(stages_.size(), lag_ + 1);
        for (std::size_t n = 0; n < stages_.size(); ++n) stages_[n].kept = static_cast<Index>(n % rooms) * most;
        return static_cast<Index>(rooms) * most;
    }

    /// Stage of the n-th substitution. Boxes are substituted from the last to the first; rows do not depend on each
    /// other.
    [[nodiscard]] const Stage& returning(std::size_t n) const {
        return stages_[problem_.partition.multiple() ? stages_.size() - 1 - n : n];
    }
    [[nodiscard]] bool shared() const { return problem_.partition.boxes_on_axes()[axis_] > 1; }
    [[nodiscard]] Index row(const Stage& stage) const { return stage.region.extent(row_axis_); }
    [[nodiscard]] Index lines(const Stage& stage) const { return row(stage) * stage.region.extent(group_axis_); }
    [[nodiscard]] Index bundles_of_row(const Lines& solver, const Stage& stage) const {
        return (row(stage) + solver.at_once() - 1) / solver.at_once();
    }
    [[nodiscard]] Index bundles(const Lines& solver, const Stage& stage) const {
        return bundles_of_row(solver, stage) * stage.region.extent(group_axis_);
    }
    /// Number of values that are kept of a bundle.
    [[nodiscard]] Index kept(const Lines& solver, const Stage& stage) const {
        return solver.kept(stage.region.extent(axis_));
    }
    /// Number of values in a message.
    [[nodiscard]] Index values(const Stage& stage, Index of_line) const {
        if (!(problem_.partition.as_npb && problem_.partition.multiple() && Lines::as_bt))
            return lines(stage) * of_line;
        const Index longest = problem_.points() / problem_.partition.boxes_on_axes()[0] + 1;
        return longest * longest * of_line;
    }

    void forward(Lines& solver, const Stage& stage) {
        double* carry = ahead_.receive(stage.low, values(stage, Lines::carried));
        each_bundle(solver, stage, [&](const Bundle& bundle, Index number, double* kept) {
            solver.forward(bundle, carry + number * Lines::carried, kept);
        });
        ahead_.send(stage.high, values(stage, Lines::carried));
    }

    void backward(Lines& solver, const Stage& stage) {
        double* carry = back_.receive(stage.high, values(stage, Lines::returned));
        each_bundle(solver, stage, [&](const Bundle& bundle, Index number, double* kept) {
            solver.backward(bundle, kept, carry + number * Lines::returned);
        });
        back_.send(stage.low, values(stage, Lines::returned));
    }

    void solve_whole(Lines& solver, const Stage& stage) {
        each_bundle(solver, stage, [&](const Bundle& bundle, Index, double* kept) {
            if constexpr (requires { solver.solve(bundle, kept); }) {
                solver.solve(bundle, kept);
            } else {
                std::array<double, std::max(Lines::carried, Lines::returned)> carry{};
                solver.forward(bundle, carry.data(), kept);
                carry.fill(0);
                solver.backward(bundle, kept, carry.data());
            }
        });
    }

    /// Calls `body(bundle, number of its first line, kept)` for each bundle of a stage, on all threads.
    template <class Body>
    void each_bundle(const Lines& solver, const Stage& stage, Body body) {
        const Index in_row = bundles_of_row(solver, stage);
        const Index values_kept = kept(solver, stage);
        Cell& cell = *stage.cell;
#pragma omp parallel for schedule(static)
        for (Index bundle = 0; bundle < bundles(solver, stage); ++bundle) {
            const Index group = bundle / in_row;
            const Index first = bundle % in_row * solver.at_once();
            Index3 point{};
            point[group_axis_] = stage.region.lo[group_axis_] + group;
            point[row_axis_] = stage.region.lo[row_axis_] + first;
            body(Bundle{.first = line_through(cell.cartesian, axis_, point, cell.u, cell.rhs),
                        .across = cell.u.stride(row_axis_),
                        .count = std::min(solver.at_once(), row(stage) - first)},
                 group * row(stage) + first,
                 kept_.data() + stage.kept + (shared() ? bundle : thread_number()) * values_kept);
        }
    }

    Problem& problem_;
    std::size_t axis_;
    std::size_t row_axis_;    ///< axis along which the lines of a bundle lie
    std::size_t group_axis_;  ///< axis along which the rows of lines lie
    std::vector<Stage> stages_;
    std::size_t lag_;  ///< stages that are eliminated before the first is substituted
    Carrier ahead_, back_;
    Array<double> kept_;
};

/// The operator in space as a product of one factor per axis, inverted one after the other.
template <class Lines>
class Factorised final : public Scheme {
public:
    explicit Factorised(Problem& problem) : solver_(problem), axes_{{{problem, 0}, {problem, 1}, {problem, 2}}} {}

    void solve() override {
        for (Pipeline<Lines>& axis : axes_) axis.solve(solver_);
    }

private:
    Lines solver_;
    std::array<Pipeline<Lines>, 3> axes_;
};

}  // namespace waywiser::npb
