/// Systems along the lines of an axis, solved by elimination where ranks share a line.
///
/// Lines go through the ranks in groups, a group after the other: while a rank eliminates in a group, the next rank has
/// the group before. Against a transposition, this sends a few values a line instead of whole fields, and leaves the
/// order of all operations as on one rank, so that results do not depend on the ranks.
#pragma once

#include "workloads/npb/problem.hpp"
#include "workloads/npb/schemes.hpp"

namespace waywiser::npb {

/// `Lines` eliminates forwards and substitutes backwards on the part of a line that a rank has:
///   forward(line, carry, kept)   carry: `carried` values from the points before, replaced by those for the next
///                                kept: `kept` values a point, left for `backward`
///   backward(line, kept, carry)  carry: `returned` values from the points behind, likewise
/// All carries begin as zeros, which is what the fixed values on the faces come to.
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
          carry_(static_cast<std::size_t>(lines() * std::max(Lines::carried, Lines::returned))) {
        const Index groups = shared() ? inner_.extent(group_axis_) : 1;
        kept_.resize(static_cast<std::size_t>(groups * lines() * kept_of_line()));
    }

    /// Collective over the ranks that share the lines.
    void solve(const Lines& solver) {
        for (Index group = inner_.lo[group_axis_]; group < inner_.hi[group_axis_]; ++group) {
            forward(solver, group);
            if (!shared()) backward(solver, group);
        }
        for (Index group = inner_.lo[group_axis_]; shared() && group < inner_.hi[group_axis_]; ++group) {
            backward(solver, group);
        }
    }

private:
    static constexpr int tag = 2;

    [[nodiscard]] bool shared() const { return low_ >= 0 || high_ >= 0; }
    [[nodiscard]] Index lines() const { return inner_.extent(row_axis_); }
    [[nodiscard]] Index kept_of_line() const { return inner_.extent(axis_) * Lines::kept; }

    void forward(const Lines& solver, Index group) {
        receive(low_, Lines::carried);
        each_line(group, [&](const Line& line, Index number, double* kept) {
            solver.forward(line, carry_.data() + number * Lines::carried, kept);
        });
        send(high_, Lines::carried);
    }

    void backward(const Lines& solver, Index group) {
        receive(high_, Lines::returned);
        each_line(group, [&](const Line& line, Index number, const double* kept) {
            solver.backward(line, kept, carry_.data() + number * Lines::returned);
        });
        send(low_, Lines::returned);
    }

    template <class Body>
    void each_line(Index group, Body body) {
        double* kept = kept_.data() + (shared() ? group - inner_.lo[group_axis_] : 0) * lines() * kept_of_line();
        Index3 point{};
        point[group_axis_] = group;
        for (Index number = 0; number < lines(); ++number) {
            point[row_axis_] = inner_.lo[row_axis_] + number;
            body(line_through(problem_.cartesian, axis_, point, problem_.u, problem_.rhs), number, kept);
            kept += kept_of_line();
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
    std::vector<double> kept_;
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
