#include "workloads/minife/multigrid.hpp"

#include "workloads/minife/fused.hpp"
#include "workloads/minife/matrix_free.hpp"
#include "workloads/minife/transfer.hpp"

#include <limits>

namespace waywiser::minife {
namespace {

/// Products before and as many after the coarse correction.
constexpr Index smoothing_steps = 2;

/// Chebyshev polynomials damp the eigenvalues from this part of the greatest on. On a mesh of cubes, those that the
/// coarse mesh cannot show begin at a third of it: 4/3 h of 4 h.
constexpr double smoothed_part = 1.0 / 3;

/// Meshes of at most so many nodes are kept in full by every rank.
constexpr Index replicated_nodes = 50'000;

int rank_in(MPI_Comm communicator) {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    return rank;
}

template <typename Real>
struct Level {
    Level(const Mesh& mesh, std::vector<Box> owned_by_rank, MPI_Comm comm)
        : communicator(comm),
          boxes(std::move(owned_by_rank)),
          layout{mesh, boxes[static_cast<std::size_t>(rank_in(comm))]},
          halo(find_neighbours(mesh, boxes, rank_in(comm)), layout, comm),
          rows(layout, element_sums(mesh).stencil),
          product(layout, free_nodes(mesh, layout.owned), rows, halo, false),
          right_side(layout),
          x(layout),
          before(layout),
          residual(layout),
          line(static_cast<std::size_t>(layout.reach.extent(0))),
          greatest_eigenvalue(eigenvalue_bound(mesh)) {}

    [[nodiscard]] bool replicated() const { return communicator == MPI_COMM_SELF; }

    MPI_Comm communicator;
    std::vector<Box> boxes;  ///< of nodes, by rank
    Layout layout;
    Halo<Real> halo;
    MatrixFree<Real> rows;
    Product<Real> product;
    Field<Real> right_side;
    Field<Real> x;
    Field<Real> before;
    Field<Real> residual;
    Array<Real> line;
    double greatest_eigenvalue;
};

/// Even on all axes, and with a free node left when halved.
bool can_be_halved(const Mesh& mesh) {
    return std::ranges::all_of(mesh.elements, [](Index n) { return n % 2 == 0 && n >= 4; });
}

template <typename Real>
class Multigrid final : public Preconditioner {
public:
    Multigrid(const Mesh& mesh, std::span<const Box> owned, MPI_Comm communicator) {
        add_level(mesh, {owned.begin(), owned.end()}, communicator);
        while (can_be_halved(levels_.back()->layout.mesh)) add_coarser();
        Level<Real>& last = *levels_.back();
        coarsest_ = std::make_unique<FusedCg<Real>>(last.product, last.communicator, coarsest_accounts_);
    }

    void apply(const Field<double>& r, Field<double>& z) override {
        Level<Real>& top = *levels_.front();
        for (const Segment& s : top.product.segments()) {
            for (Index i = s.position; i < s.position + s.length; ++i) top.right_side[i] = static_cast<Real>(r[i]);
        }
        cycle(0);
        std::copy_n(r.data(), r.size(), z.data());  // the rows of prescribed nodes are those of the identity
        for (const Segment& s : top.product.segments()) {
            for (Index i = s.position; i < s.position + s.length; ++i) z[i] = static_cast<double>(top.x[i]);
        }
    }

    // A cycle moves, of each level but the last: in the smoother before 3 values a node (the first step), 2 to clear,
    // and 5 a further step; 4 for the residual and 1 to restrict it; 2 to correct, and 5 a step after.
    [[nodiscard]] Work work() const override {
        Work sum{vector_bytes<double>(levels_.front()->layout.rows(), 4), 0};
        for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
            const Level<Real>& level = *levels_[l];
            const Index rows = level.layout.rows();
            sum.bytes += vector_bytes<Real>(rows, 5 + 5 * (2 * smoothing_steps - 1) + 5 + 2);
            sum.flops += 2 * smoothing_steps * level.rows.product_flops() + 2 * smoothing_steps * 6 * rows + 6 * rows;
        }
        return sum;
    }

private:
    void add_level(const Mesh& mesh, std::vector<Box> boxes, MPI_Comm communicator) {
        levels_.push_back(std::make_unique<Level<Real>>(mesh, std::move(boxes), communicator));
    }

    void add_coarser() {
        const Level<Real>& fine = *levels_.back();
        const auto& [nx, ny, nz] = fine.layout.mesh.elements;
        const Mesh mesh{{nx / 2, ny / 2, nz / 2}};
        std::vector<Box> boxes;
        bool replicate = fine.replicated() || mesh.rows() <= replicated_nodes;
        for (const Box& box : fine.boxes) {
            boxes.push_back(coarse_box(box));
            replicate = replicate || boxes.back().volume() == 0;
        }
        if (replicate) boxes = {{.lo = {}, .hi = {mesh.nodes(0), mesh.nodes(1), mesh.nodes(2)}}};
        add_level(mesh, std::move(boxes), replicate ? MPI_COMM_SELF : fine.communicator);
    }

    /// x = an approximate solution for the level's right side.
    void cycle(std::size_t l) {
        if (l + 1 == levels_.size()) return solve_coarsest();
        Level<Real>& fine = *levels_[l];
        Level<Real>& coarse = *levels_[l + 1];
        smooth_from_zero(fine);
        restrict_residual(fine, coarse);
        cycle(l + 1);
        coarse.halo.start(coarse.x.data());
        coarse.halo.finish();
        for (const Segment& s : fine.product.segments()) {
            add_interpolated(fine.layout, s, fine.x.data(), coarse.layout, coarse.x.data());
        }
        double rho = 0;
        for (Index step = 0; step < smoothing_steps; ++step) smooth(fine, step, rho);
    }

    /// The first step needs no product.
    void smooth_from_zero(Level<Real>& level) {
        const auto gain = static_cast<Real>(1 / middle(level));
        for (const Segment& s : level.product.segments()) {
            const Real* b = level.right_side.data() + s.position;
            Real* x = level.x.data() + s.position;
            for (Index i = 0; i < s.length; ++i) x[i] = gain * b[i];
            std::fill_n(level.before.data() + s.position, s.length, Real{});
        }
        double rho = first_rho;
        for (Index step = 1; step < smoothing_steps; ++step) smooth(level, step, rho);
    }

    // Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., SIAM, 2003, algorithm 12.1, for eigenvalues in
    // [smoothed_part, 1] times the greatest.
    static double middle(const Level<Real>& level) { return level.greatest_eigenvalue * (1 + smoothed_part) / 2; }
    static constexpr double first_rho = (1 - smoothed_part) / (1 + smoothed_part);

    /// One step; `rho` goes from one to the next.
    void smooth(Level<Real>& level, Index step, double& rho) {
        double kept = 0;
        double gain = 1 / middle(level);
        if (step == 0) {
            rho = first_rho;
        } else {
            const double next = 1 / (2 / first_rho - rho);
            kept = next * rho;
            gain = 2 * next / (level.greatest_eigenvalue * (1 - smoothed_part) / 2);
            rho = next;
        }
        Real* x = level.x.data();
        level.product.sweep(x, [&](const Segment& s) {
            level.rows.multiply(s, x, level.line.data());
            chebyshev(s.length, kept, gain, level.right_side.data() + s.position, level.line.data(), x + s.position,
                      level.before.data() + s.position);
        });
        std::swap(level.x, level.before);
    }

    void restrict_residual(Level<Real>& fine, Level<Real>& coarse) {
        Real* x = fine.x.data();
        fine.product.sweep(x, [&](const Segment& s) {
            Real* r = fine.residual.data() + s.position;
            const Real* b = fine.right_side.data() + s.position;
            fine.rows.multiply(s, x, r);
            for (Index i = 0; i < s.length; ++i) r[i] = b[i] - r[i];
        });
        fine.halo.start(fine.residual.data());
        fine.halo.finish();
        const bool gathered = coarse.replicated() && !fine.replicated();
        if (gathered) std::fill_n(coarse.right_side.data(), coarse.right_side.size(), Real{});
        restrict_to(coarse.layout, coarse_box(fine.layout.owned), coarse.right_side.data(), fine.layout,
                    fine.residual.data());
        if (gathered) {
            const MPI_Datatype type = std::is_same_v<Real, double> ? MPI_DOUBLE : MPI_FLOAT;
            MPI_Allreduce(MPI_IN_PLACE, coarse.right_side.data(), static_cast<int>(coarse.right_side.size()), type,
                          MPI_SUM, fine.communicator);
        }
    }

    /// As exactly as Real allows, so that the cycle is a linear map.
    void solve_coarsest() {
        constexpr double reduction = 1e3 * std::numeric_limits<Real>::epsilon();
        constexpr Index enough = 10'000;
        Level<Real>& level = *levels_.back();
        for (const Segment& s : level.product.segments()) {
            std::copy_n(level.right_side.data() + s.position, s.length, coarsest_->r().data() + s.position);
            std::fill_n(coarsest_->x().data() + s.position, s.length, Real{});
        }
        coarsest_->restart();
        const double wanted = reduction * coarsest_->residual_norm();
        for (Index i = 0; i < enough && coarsest_->residual_norm() > wanted; ++i) {
            if (!coarsest_->step()) break;
        }
        std::swap(level.x, coarsest_->x());
    }

    std::vector<std::unique_ptr<Level<Real>>> levels_;
    CgAccounts coarsest_accounts_;
    std::unique_ptr<FusedCg<Real>> coarsest_;
};

}  // namespace

// The symbol K(a) M(b) M(c) + M(a) K(b) M(c) + M(a) M(b) K(c), with K(t) = 2 (1 - cos t) / h and
// M(t) = h (2 + cos t) / 3, is linear in each cosine: its greatest value is at one of the corners.
double eigenvalue_bound(const Mesh& mesh) {
    double greatest = 0;
    for (std::size_t corner = 0; corner < 8; ++corner) {
        double k[3];
        double m[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double h = mesh.spacing(axis);
            const bool alternating = (corner >> axis & 1) != 0;
            k[axis] = alternating ? 4 / h : 0;
            m[axis] = alternating ? h / 3 : h;
        }
        greatest = std::max(greatest, k[0] * m[1] * m[2] + m[0] * k[1] * m[2] + m[0] * m[1] * k[2]);
    }
    return greatest;
}

template <typename Real>
std::unique_ptr<Preconditioner> make_multigrid(const Mesh& mesh, std::span<const Box> owned, MPI_Comm communicator) {
    return std::make_unique<Multigrid<Real>>(mesh, owned, communicator);
}

template std::unique_ptr<Preconditioner> make_multigrid<double>(const Mesh&, std::span<const Box>, MPI_Comm);
template std::unique_ptr<Preconditioner> make_multigrid<float>(const Mesh&, std::span<const Box>, MPI_Comm);

}  // namespace waywiser::minife
