/// The matrix on one rank, however it is stored, and its distributed product with a field.
#pragma once

#include "workloads/common/stopwatch.hpp"
#include "workloads/minife/field.hpp"
#include "workloads/minife/halo.hpp"

namespace waywiser::minife {

/// Real: of the matrix and of the vectors.
template <typename Real>
class Operator {
public:
    Operator() = default;
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;
    virtual ~Operator() = default;

    /// y[0 .. segment.length) = the segment's rows of A x, for a field x whose halo is up to date.
    virtual void multiply(const Segment& segment, const Real* x, Real* y) = 0;

    /// What one product with all rows reads of the matrix [B], and computes.
    [[nodiscard]] virtual Index matrix_bytes() const = 0;
    [[nodiscard]] virtual Index product_flops() const = 0;

    /// Whether a product is cheaper to compute again than to write and read.
    [[nodiscard]] bool stored() const { return matrix_bytes() > 0; }
};

/// An operator with its exchange, on a part of the owned nodes: all of them, or the free ones.
template <typename Real>
class Product {
public:
    Product(const Layout& layout, const Box& part, Operator<Real>& rows, Halo<Real>& halo, bool overlap)
        : layout_(layout), rows_(rows), halo_(halo), overlap_(overlap), lines_(lines(layout, part)) {
        if (overlap) split_ = split(layout, part);
    }

    /// Completes the halo of x and calls `visit(segment)` for all nodes; with overlap, while the halo is under way
    /// for those that do not need it.
    template <typename Visit>
    void sweep(Real* x, Visit visit) {
        Stopwatch watch;
        halo_.start(x);
        if (overlap_) {
            exchange_s_ += watch.lap_s();
            for (const Segment& segment : split_.interior) visit(segment);
            watch.lap_s();
        }
        halo_.finish();
        exchange_s_ += watch.lap_s();
        for (const Segment& segment : overlap_ ? split_.boundary : lines_) visit(segment);
    }

    /// y = A x for fields.
    void apply(Real* x, Real* y) {
        sweep(x, [&](const Segment& segment) { rows_.multiply(segment, x, y + segment.position); });
    }

    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] const std::vector<Segment>& segments() const { return lines_; }
    [[nodiscard]] const Split& parts() const { return split_; }
    [[nodiscard]] Operator<Real>& rows() const { return rows_; }
    [[nodiscard]] Halo<Real>& halo() const { return halo_; }
    [[nodiscard]] bool overlap() const { return overlap_; }

    /// Time in the exchange so far [s]; with overlap without what the interior rows hide.
    [[nodiscard]] double exchange_s() const { return exchange_s_; }
    void add_exchange_s(double seconds) { exchange_s_ += seconds; }

private:
    const Layout& layout_;
    Operator<Real>& rows_;
    Halo<Real>& halo_;
    bool overlap_;
    std::vector<Segment> lines_;
    Split split_;
    double exchange_s_ = 0;
};

}  // namespace waywiser::minife
