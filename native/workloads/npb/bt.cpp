// BT: the implicit operator factorised into one block-tridiagonal system per line; dissipation stays explicit.
//
// Source: R. M. Beam, R. F. Warming, "An implicit factored scheme for the compressible Navier-Stokes equations", AIAA
// Journal 16, 1978, pp. 393-402.
#include "workloads/npb/blocks.hpp"
#include "workloads/npb/pipeline.hpp"
#include "workloads/npb/schemes.hpp"

#include <cstring>

namespace waywiser::npb {
namespace {

/// A row after elimination: x(i) + after x(i+1) = r.
struct BlockRow {
    Block after;
    Vector5 r;
};

class Tridiagonal {
public:
    static constexpr bool as_bt = true;
    static constexpr Index kept_of_point = sizeof(Block) / sizeof(double);
    static constexpr Index carried = sizeof(BlockRow) / sizeof(double);
    static constexpr Index returned = Field::unknowns;

    explicit Tridiagonal(const Problem& problem) : dt_(problem.dt), differences_(problem.points()) {}

    static Index at_once() { return 1; }
    static Index kept(Index points) { return points * kept_of_point; }

    void forward(const Bundle& bundle, double* carry, double* kept_values) const {
        const Line& line = bundle.first;
        BlockRow last{};
        std::memcpy(&last, carry, sizeof(last));
        Jacobians before(line.u_at(line.lo - 1), line.axis);
        Jacobians here(line.u_at(line.lo), line.axis);
        for (Index i = line.lo; i < line.hi; ++i) {
            const Jacobians after(line.u_at(i + 1), line.axis);
            BlockRow next{coupling(after, line.axis, 1, dt_, differences_), line.rhs_at(i)};
            const Block low = coupling(before, line.axis, -1, dt_, differences_);
            Block diagonal = identity();
            add_diagonal(here, line.axis, dt_, differences_, diagonal);
            subtract_product(low, last.after, diagonal);
            subtract_product(low, last.r, next.r);
            solve(diagonal, next.r, &next.after);
            std::memcpy(kept_values + (i - line.lo) * kept_of_point, &next.after, sizeof(Block));
            line.set_rhs(i, next.r);
            last = next;
            before = here;
            here = after;
        }
        std::memcpy(carry, &last, sizeof(last));
    }

    void backward(const Bundle& bundle, const double* kept_values, double* carry) const {
        const Line& line = bundle.first;
        Vector5 behind{};
        std::copy_n(carry, returned, behind.begin());
        for (Index i = line.hi - 1; i >= line.lo; --i) {
            BlockRow row{{}, line.rhs_at(i)};
            std::memcpy(&row.after, kept_values + (i - line.lo) * kept_of_point, sizeof(Block));
            subtract_product(row.after, behind, row.r);
            line.set_rhs(i, row.r);
            behind = row.r;
        }
        std::ranges::copy(behind, carry);
    }

private:
    double dt_;
    Differences differences_;
};

}  // namespace

std::unique_ptr<Scheme> make_bt(Problem& problem) { return std::make_unique<Factorised<Tridiagonal>>(problem); }

}  // namespace waywiser::npb
