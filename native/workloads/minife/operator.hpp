/// The matrix on one rank, in any storage format, and its distributed product with a field.
#pragma once

#include "workloads/common/stopwatch.hpp"
#include "workloads/minife/field.hpp"
#include "workloads/minife/halo.hpp"

namespace waywiser::minife {

/// Real is the precision of the matrix and of the vectors.
template <typename Real>
class Operator {
public:
    Operator() = default;
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;
    virtual ~Operator() = default;

    /// Sets y[0 .. segment.length) to the segment's rows of A x, for a field x whose halo is up to date. Several
    /// threads may call it concurrently.
    virtual void multiply(const Segment& segment, const Real* x, Real* y) = 0;

    /// True if a segment may span several consecutive lines of a field; otherwise it is part of one line.
    [[nodiscard]] virtual bool takes_runs() const { return false; }

    /// Matrix bytes that one product with all rows reads, and its flops.
    [[nodiscard]] virtual Index matrix_bytes() const = 0;
    [[nodiscard]] virtual Index product_flops() const = 0;

    /// True if a product is cheaper to store and read than to recompute.
    [[nodiscard]] bool stored() const { return matrix_bytes() > 0; }
};

/// An operator with its exchange, on a part of the owned nodes: all of them, or the free ones.
template <typename Real>
class Product {
public:
    Product(const Layout& layout, const Box& part, Operator<Real>& rows, Halo<Real>& halo, bool overlap)
        : layout_(layout),
          rows_(rows),
          halo_(halo),
          overlap_(overlap),
          runs_(Shares(lines(layout, part)).joined()),
          segments_(dealt(lines(layout, part))) {
        if (!overlap) return;
        const Split parts = split(layout, part);
        interior_ = dealt(parts.interior);
        boundary_ = dealt(parts.boundary);
    }

    /// Completes the halo of x and calls `visit(segment)` for all nodes; with overlap, nodes that need no halo are
    /// visited during the exchange.
    template <typename Visit>
    void sweep(Real* x, Visit visit) {
        around_exchange(x, [&](const Shares& shares) { shares.for_each(visit); });
    }

    /// Makes a sweep and returns the sum of `term(segment)`.
    template <typename Term>
    double sweep_sum(Real* x, Term term) {
        double sum = 0;
        around_exchange(x, [&](const Shares& shares) { sum += shares.sum(term); });
        return sum;
    }

    /// Computes y = A x for fields.
    void apply(Real* x, Real* y) {
        sweep(x, [&](const Segment& segment) { rows_.multiply(segment, x, y + segment.position); });
    }

    [[nodiscard]] const Layout& layout() const { return layout_; }
    /// Pieces of rows, at most as long as the operator permits.
    [[nodiscard]] const Shares& segments() const { return segments_; }
    [[nodiscard]] const Shares& runs() const { return runs_; }  ///< joined segments, for loops over vectors
    /// Parts of a sweep with an overlapped exchange: segments that refer to no halo node, and the others.
    [[nodiscard]] const Shares& interior() const { return interior_; }
    [[nodiscard]] const Shares& boundary() const { return boundary_; }
    [[nodiscard]] Operator<Real>& rows() const { return rows_; }
    [[nodiscard]] Halo<Real>& halo() const { return halo_; }
    [[nodiscard]] bool overlap() const { return overlap_; }

    /// Time in the exchange so far [s]; with overlap, without the part that interior rows hide.
    [[nodiscard]] double exchange_s() const { return exchange_s_; }
    void add_exchange_s(double seconds) { exchange_s_ += seconds; }

private:
    template <typename Work>
    void around_exchange(Real* x, Work work) {
        Stopwatch watch;
        halo_.start(x);
        if (overlap_) {
            exchange_s_ += watch.lap_s();
            work(interior_);
            watch.lap_s();
        }
        halo_.finish();
        exchange_s_ += watch.lap_s();
        work(overlap_ ? boundary_ : segments_);
    }

    [[nodiscard]] Shares dealt(const std::vector<Segment>& segments) const {
        const Shares shares(segments);
        return rows_.takes_runs() ? shares.joined() : shares;
    }

    const Layout& layout_;
    Operator<Real>& rows_;
    Halo<Real>& halo_;
    bool overlap_;
    Shares runs_;
    Shares segments_;
    Shares interior_;
    Shares boundary_;
    double exchange_s_ = 0;
};

}  // namespace waywiser::minife
