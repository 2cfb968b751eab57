// LU: symmetric successive over-relaxation. Each sweep passes through the planes of axis 3. Within a plane, the sweep
// is a wavefront through the ranks along axes 1 and 2, in which preceding ranks are already in later planes.
#include "workloads/npb/blocks.hpp"
#include "workloads/npb/schemes.hpp"
#include "workloads/npb/sweep.hpp"

namespace waywiser::npb {
namespace {

class Relaxation final : public Scheme {
public:
    explicit Relaxation(Problem& problem)
        : problem_(problem),
          cell_(problem.cells.front()),
          inner_(inner_points(cell_.cartesian)),
          differences_(problem.points()),
          edges_(problem) {}

    void solve() override {
        sweep(edges_, inner_, true, [&](const Rows& rows) { relax(rows); });
        sweep(edges_, inner_, false, [&](const Rows& rows) { relax(rows); });
    }

private:
    void relax(const Rows& rows) {
        for (Index row = rows.begin; row < rows.end; ++row) {
            const Index j = rows.at(inner_, row);
            for (Index i = inner_.lo[0]; i < inner_.hi[0]; ++i) {
                if (rows.forwards) {
                    relax_forwards({i, j, rows.plane});
                } else {
                    relax_backwards({inner_.lo[0] + inner_.hi[0] - 1 - i, j, rows.plane});
                }
            }
        }
    }

    /// Solves D v = r - omega L v at a point, where L is its coupling to the preceding points.
    void relax_forwards(const Index3& p) {
        Vector5 r{};
        const Vector5 here = cell_.rhs.get(p);
        subtract_neighbours(p, -1, r);
        for (std::size_t m = 0; m < 5; ++m) r[m] = here[m] + over_relaxation * r[m];
        solve_diagonal(p, r);
        cell_.rhs.set(p, r);
    }

    /// Solves D (w - v) = -omega U w at a point, where U is its coupling to the following points.
    void relax_backwards(const Index3& p) {
        Vector5 r{};
        Vector5 here = cell_.rhs.get(p);
        subtract_neighbours(p, 1, r);
        solve_diagonal(p, r);
        for (std::size_t m = 0; m < 5; ++m) here[m] += over_relaxation * r[m];
        cell_.rhs.set(p, here);
    }

    void subtract_neighbours(const Index3& p, Index side, Vector5& r) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Index3 neighbour = p;
            neighbour[axis] += side;
            const Jacobians there(cell_.u.get(neighbour), axis);
            subtract_product(coupling(there, axis, static_cast<double>(side), problem_.dt, differences_),
                             cell_.rhs.get(neighbour), r);
        }
    }

    void solve_diagonal(const Index3& p, Vector5& r) const {
        Block diagonal = identity();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            add_diagonal(Jacobians(cell_.u.get(p), axis), axis, problem_.dt, differences_, diagonal);
        }
        npb::solve(diagonal, r);
    }

    Problem& problem_;
    Cell& cell_;
    Region inner_;
    Differences differences_;
    Edges edges_;
};

}  // namespace

std::unique_ptr<Scheme> make_lu(Problem& problem) { return std::make_unique<Relaxation>(problem); }

}  // namespace waywiser::npb
