/// Conjugate gradients in two sweeps an iteration.
///
/// The first updates the directions plane by plane and multiplies one plane behind, where they are still in cache. Its
/// halo is not exchanged but follows from that of the residual, whose exchange belongs to the second sweep: x, r and
/// r.r at once. A product that costs less to compute again than to store (`Operator::stored`) is computed in both.
#pragma once

#include "workloads/minife/solving.hpp"

#include <memory>

namespace waywiser::minife {

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
          line_(static_cast<std::size_t>(a.layout().reach.extent(0))) {
        if (a.rows().stored()) q_ = std::make_unique<Field<Real>>(a.layout());
    }

    [[nodiscard]] Field<Real>& x() { return x_; }
    [[nodiscard]] Field<Real>& r() { return r_; }
    [[nodiscard]] const Field<Real>& r() const { return r_; }
    [[nodiscard]] double residual_norm() const { return std::sqrt(rr_); }
    [[nodiscard]] Work exchanges() const { return {exchanges_ * a_.halo().bytes(), 0}; }

    /// The caller has written the owned nodes of r. Directions go on; `restart` forgets them.
    void replaced() {
        Stopwatch watch;
        const double local = square(a_.segments(), r_);
        start_exchange(watch);
        finish_exchange(watch);
        accounts_.update.add(watch.lap_s(), {vector_bytes<Real>(rows(), 1), 2 * rows()});
        rr_ = sum_over_ranks(local, accounts_, comm_);
    }
    void restart() {
        previous_rr_ = 0;
        replaced();
    }

    /// One iteration. \return false if p.Ap is not positive: nothing has changed then but the directions
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

    /// p = r + beta p, and q = A p. \return p.q of this rank
    double directions(double beta) {
        Stopwatch watch;
        const Box& reach = a_.layout().reach;
        const Index plane = reach.extent(0) * reach.extent(1);
        double pq = 0;
        auto next = a_.segments().begin();
        const auto multiply_below = [&](Index z) {
            for (; next != a_.segments().end() && next->node[2] < z; ++next) {
                pq += dot(next->length, p_.data() + next->position, multiplied(*next));
            }
        };
        for (Index z = reach.lo[2]; z < reach.hi[2]; ++z) {
            const Index start = plane * (z - reach.lo[2]);
            xpby(plane, r_.data() + start, beta, p_.data() + start);
            multiply_below(z);
        }
        multiply_below(reach.hi[2]);
        const Index values = q_ ? 5 : 3;
        accounts_.matvec.add(watch.lap_s(), {a_.rows().matrix_bytes() + vector_bytes<Real>(rows(), values),
                                             a_.rows().product_flops() + 4 * rows()});
        return pq;
    }

    /// x += alpha p, r -= alpha q, and the halo of r. \return r.r of this rank
    double residual(double alpha) {
        Stopwatch watch;
        double rr = 0;
        const auto update = [&](const std::vector<Segment>& segments) {
            for (const Segment& s : segments) {
                const Real* q = q_ ? q_->data() + s.position : multiplied(s);
                rr +=
                    advance(s.length, alpha, p_.data() + s.position, q, x_.data() + s.position, r_.data() + s.position);
            }
        };
        update(a_.overlap() ? a_.parts().boundary : a_.segments());
        accounts_.update.add(watch.lap_s(), {});
        start_exchange(watch);
        if (a_.overlap()) update(a_.parts().interior);
        accounts_.update.add(watch.lap_s(), {});
        finish_exchange(watch);
        const Index again = q_ ? 0 : a_.rows().product_flops();
        accounts_.update.add(0, {vector_bytes<Real>(rows(), q_ ? 6 : 5), again + 6 * rows()});
        return rr;
    }

    /// A line of A p: where it is kept, or for the moment.
    const Real* multiplied(const Segment& s) {
        Real* to = q_ ? q_->data() + s.position : line_.data();
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
    std::unique_ptr<Field<Real>> q_;  ///< none where it is computed again
    Array<Real> line_;
    double rr_ = 0;
    double previous_rr_ = 0;
    Index exchanges_ = 0;
};

}  // namespace waywiser::minife
