/// Systems along the lines of an axis, solved by elimination where ranks share a line.
///
/// Lines go through the ranks in groups, a group after the other: while a rank eliminates in a group, the next rank has
/// the group before. Against a transposition, this sends a few values a line instead of whole fields, and leaves the
/// order of all operations as on one rank, so that results do not depend on the ranks.
#pragma once

#include "workloads/npb/problem.hpp"
#include "workloads/npb/schemes.hpp"

namespace waywiser::npb {

/// Lines next to each other.
struct Bundle {
    Line first;
    Index across;  ///< from a line to the next, in values
    Index count;
};

/// `Lines` eliminates forwards and substitutes backwards on the parts of at most `at_once` lines that a rank has:
///   forward(bundle, carry, kept)   carry: `carried` values a line from the points before, replaced by those for the
///                                  next; kept: `kept` values a point and line, left for `backward`
///   backward(bundle, kept, carry)  carry: `returned` values a line from the points behind, likewise
/// All carries begin as zeros, which is what the fixed values on the faces come to. It may have `solve(bundle, kept)`
/// for lines that no rank shares.
template <class Lines>
class Pipeline {
public:
    Pipeline(Problem& problem, std::size_t axis)
        : problem_(problem),
          axis_(axis),
          row_axis_(axis == 0 ? 1 : 0),
          group_axis_(axis == 2 ? 1 : 2),
          inner_(inner_points(problem.cartesian)),
          low_(problem.cartesian.neighbour(axis, Side::low)),
          high_(problem.cartesian.neighbour(axis, Side::high)),
          carry_(static_cast<std::size_t>(lines() * std::max(Lines::carried, Lines::returned))) {}

    /// Collective over the ranks that share the lines.
    void solve(Lines& solver) {
        const Index bundles = (lines() + solver.at_once() - 1) / solver.at_once();
        kept_of_bundle_ = solver.at_once() * inner_.extent(axis_) * Lines::kept;
        const Index most = shared() ? inner_.extent(group_axis_) * bundles : 1;
        if (kept_.size() == 0) kept_ = Array<double>(static_cast<std::size_t>(most * kept_of_bundle_));
        for (Index group = inner_.lo[group_axis_]; group < inner_.hi[group_axis_]; ++group) {
            if (shared()) {
                forward(solver, group);
            } else {
                solve_whole(solver, group);
            }
        }
        for (Index group = inner_.lo[group_axis_]; shared() && group < inner_.hi[group_axis_]; ++group) {
            backward(solver, group);
        }
    }

private:
    static constexpr int tag = 2;

    [[nodiscard]] bool shared() const { return low_ >= 0 || high_ >= 0; }
    [[nodiscard]] Index lines() const { return inner_.extent(row_axis_); }

    void forward(Lines& solver, Index group) {
        receive(low_, Lines::carried);
        each_bundle(solver, group, [&](const Bundle& bundle, Index number, double* kept) {
            solver.forward(bundle, carry_.data() + number * Lines::carried, kept);
        });
        send(high_, Lines::carried);
    }

    void backward(Lines& solver, Index group) {
        receive(high_, Lines::returned);
        each_bundle(solver, group, [&](const Bundle& bundle, Index number, double* kept) {
            solver.backward(bundle, kept, carry_.data() + number * Lines::returned);
        });
        send(low_, Lines::returned);
    }

    void solve_whole(Lines& solver, Index group) {
        each_bundle(solver, group, [&](const Bundle& bundle, Index, double* kept) {
            if constexpr (requires { solver.solve(bundle, kept); }) {
                solver.solve(bundle, kept);
            } else {
                std::ranges::fill(carry_, 0.0);
                solver.forward(bundle, carry_.data(), kept);
                std::ranges::fill(carry_, 0.0);
                solver.backward(bundle, kept, carry_.data());
            }
        });
    }

    /// Calls `body(bundle, number of its first line, kept)`.
    template <class Body>
    void each_bundle(const Lines& solver, Index group, Body body) {
        const Index bundles = (lines() + solver.at_once() - 1) / solver.at_once();
        double* kept = kept_.data() + (shared() ? (group - inner_.lo[group_axis_]) * bundles * kept_of_bundle_ : 0);
        Index3 point{};
        point[group_axis_] = group;
        for (Index number = 0; number < lines(); number += solver.at_once()) {
            point[row_axis_] = inner_.lo[row_axis_] + number;
            body(Bundle{.first = line_through(problem_.cartesian, axis_, point, problem_.u, problem_.rhs),
                        .across = problem_.u.stride(row_axis_),
                        .count = std::min(solver.at_once(), lines() - number)},
                 number, kept);
            if (shared()) kept += kept_of_bundle_;
        }
    }

    void receive(int neighbour, Index values) {
        if (neighbour < 0) {
            std::ranges::fill(carry_, 0.0);
        } else {
            MPI_Recv(carry_.data(), static_cast<int>(lines() * values), MPI_DOUBLE, neighbour, tag,
                     problem_.communicator, MPI_STATUS_IGNORE);
        }
    }

    void send(int neighbour, Index values) {
        if (neighbour < 0) return;
        MPI_Send(carry_.data(), static_cast<int>(lines() * values), MPI_DOUBLE, neighbour, tag, problem_.communicator);
    }

    Problem& problem_;
    std::size_t axis_;
    std::size_t row_axis_;    ///< along it lie the lines of a group
    std::size_t group_axis_;  ///< along it lie the groups
    Region inner_;
    int low_, high_;
    std::vector<double> carry_;
    Index kept_of_bundle_ = 0;
    Array<double> kept_;  ///< of all bundles where lines are shared, else of one
};

/// The operator in space as a product of one factor an axis, each of which is inverted after the other.
template <class Lines>
class Factorised final : public Scheme {
public:
    explicit Factorised(Problem& problem)
        : solver_(problem.dt, problem.cartesian.points()[0]), axes_{{{problem, 0}, {problem, 1}, {problem, 2}}} {}

    void solve() override {
        for (Pipeline<Lines>& axis : axes_) axis.solve(solver_);
    }

private:
    Lines solver_;
    std::array<Pipeline<Lines>, 3> axes_;
};

}  // namespace waywiser::npb
