/// Conjugate gradients with two sweeps per iteration.
///
/// The first updates the directions line by line and multiplies one plane behind, while they are still in cache;
/// directions that products of other threads refer to are updated before. Its halo is not exchanged but follows from
/// that of the residual, whose exchange belongs to the second sweep: x, r and r.r at once. A product that is cheaper to
/// recompute than to store (`Operator::stored`) is computed in both.
#pragma once

#include "workloads/minife/solving.hpp"

#include <memory>

namespace waywiser::minife {

/// Positions in a field whose directions one thread updates: all from the first node of its share to the first of the
/// next. Products of other threads refer to the positions before `inner_begin` and from `inner_end` on.
struct Slice {
    Index begin;
    Index inner_begin;
    Index inner_end;
    Index end;
};

/// The largest distance [positions] of a row's neighbours.
[[nodiscard]] inline Index furthest_neighbour(const Layout& layout) {
    return 1 + layout.reach.extent(0) * (1 + layout.reach.extent(1));
}

/// The slice of each part of `shares`; together, the whole field.
[[nodiscard]] inline std::vector<Slice> slices(const Layout& layout, const Shares& shares) {
    const Index shared = furthest_neighbour(layout);
    std::vector<Slice> result(shares.parts());
    Index end = layout.reach.volume();
    for (std::size_t k = result.size(); k-- > 0;) {
        const Index first = shares.part(k).empty() ? end : shares.part(k).front().position;
        const Index begin = k == 0 ? 0 : first;
        const Index inner_begin = k == 0 ? begin : std::min(begin + shared, end);
        const Index inner_end = k + 1 == result.size() ? end : std::max(end - shared, inner_begin);
        result[k] = {begin, inner_begin, inner_end, end};
        end = begin;
    }
    return result;
}

template <typename Real>
class FusedCg {
public:
    FusedCg(Product<Real>& a, MPI_Comm comm, CgAccounts& accounts)
        : x_(a.layout()),
          r_(a.layout()),
          a_(a),
          comm_(comm),
          accounts_(accounts),
          p_(a.layout()),
          line_(a.layout().reach.extent(0)),
          slices_(slices(a.layout(), a.segments())) {
        if (a.rows().stored()) q_ = std::make_unique<Field<Real>>(a.layout());
    }

    [[nodiscard]] Field<Real>& x() { return x_; }
    [[nodiscard]] Field<Real>& r() { return r_; }
    [[nodiscard]] const Field<Real>& r() const { return r_; }
    [[nodiscard]] double residual_norm() const { return std::sqrt(rr_); }
    [[nodiscard]] Work exchanges() const { return {exchanges_ * a_.halo().bytes(), 0}; }

    /// Called after the owned nodes of r were replaced. Search directions are kept; `restart` discards them.
    void replaced() {
        Stopwatch watch;
        const double local = dot(a_.runs(), r_, r_);
        start_exchange(watch);
        finish_exchange(watch);
        accounts_.update.add(watch.lap_s(), {vector_bytes<Real>(rows(), 1), 2 * rows()});
        rr_ = sum_over_ranks(local, accounts_, comm_);
    }
    void restart() {
        previous_rr_ = 0;
        replaced();
    }

    /// One iteration. \return false if p.Ap is not positive; then only the directions have changed
    bool step() {
        const double pq = sum_over_ranks(directions(previous_rr_ > 0 ? rr_ / previous_rr_ : 0), accounts_, comm_);
        if (!(pq > 0)) return false;
        const double local = residual(rr_ / pq);
        previous_rr_ = rr_;
        rr_ = sum_over_ranks(local, accounts_, comm_);
        return true;
    }

private:
    [[nodiscard]] Index rows() const { return a_.layout().rows(); }

    /// Computes p = r + beta p and q = A p. \return p.q of this rank
    double directions(double beta) {
        Stopwatch watch;
        const auto update = [&](Index begin, Index end) {
            if (begin < end) xpby(end - begin, r_.data() + begin, beta, p_.data() + begin);
        };
        a_.segments().for_each_part([&](std::size_t k) {
            update(slices_[k].begin, slices_[k].inner_begin);
            update(slices_[k].inner_end, slices_[k].end);
        });
        const Index ahead = furthest_neighbour(a_.layout());
        const double pq = a_.segments().sum_parts([&](std::size_t k) {
            double sum = 0;
            Index updated = slices_[k].inner_begin;
            for (const Segment& s : a_.segments().part(k)) {
                const Index needed = std::min(s.position + s.length + ahead, slices_[k].inner_end);
                update(updated, needed);
                updated = std::max(updated, needed);
                sum += dot(s.length, p_.data() + s.position, multiplied(s));
            }
            return sum;
        });
        const Index again = a_.rows().takes_runs() ? 1 : 0;  // By then, directions are no longer in cache.
        const Index values = (q_ ? 5 : 3) + again;
        accounts_.matvec.add(watch.lap_s(), {a_.rows().matrix_bytes() + vector_bytes<Real>(rows(), values),
                                             a_.rows().product_flops() + 4 * rows()});
        return pq;
    }

    /// Computes x += alpha p, r -= alpha q, and the halo of r. \return r.r of this rank
    double residual(double alpha) {
        Stopwatch watch;
        double rr = 0;
        const auto update = [&](const Shares& shares) {
            rr += shares.sum([&](const Segment& s) {
                const Real* q = q_ ? q_->data() + s.position : multiplied(s);
                return advance(s.length, alpha, p_.data() + s.position, q, x_.data() + s.position,
                               r_.data() + s.position);
            });
        };
        update(a_.overlap() ? a_.boundary() : a_.segments());
        accounts_.update.add(watch.lap_s(), {});
        start_exchange(watch);
        if (a_.overlap()) update(a_.interior());
        accounts_.update.add(watch.lap_s(), {});
        finish_exchange(watch);
        const Index again = q_ ? 0 : a_.rows().product_flops();
        accounts_.update.add(0, {vector_bytes<Real>(rows(), q_ ? 6 : 5), again + 6 * rows()});
        return rr;
    }

    /// A line of A p, which is stored or temporary.
    const Real* multiplied(const Segment& s) {
        Real* to = q_ ? q_->data() + s.position : line_.mine();
        a_.rows().multiply(s, p_.data(), to);
        return to;
    }

    void start_exchange(Stopwatch& watch) {
        a_.halo().start(r_.data());
        ++exchanges_;
        booked(watch.lap_s());
    }
    void finish_exchange(Stopwatch& watch) {
        a_.halo().finish();
        booked(watch.lap_s());
    }
    void booked(double seconds) {
        a_.add_exchange_s(seconds);
        accounts_.update.add(seconds, {});
    }

    Field<Real> x_;
    Field<Real> r_;
    Product<Real>& a_;
    MPI_Comm comm_;
    CgAccounts& accounts_;
    Field<Real> p_;
    std::unique_ptr<Field<Real>> q_;  ///< null if it is recomputed
    ThreadLines<Real> line_;
    std::vector<Slice> slices_;
    double rr_ = 0;
    double previous_rr_ = 0;
    Index exchanges_ = 0;
};

}  // namespace waywiser::minife
