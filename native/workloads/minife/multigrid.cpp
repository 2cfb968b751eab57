#include "workloads/minife/multigrid.hpp"

#include "workloads/minife/coarsening.hpp"
#include "workloads/minife/fused.hpp"
#include "workloads/minife/matrix_free.hpp"
#include "workloads/minife/transfer.hpp"

#include <functional>
#include <limits>

namespace waywiser::minife {
namespace {

/// Largest number of nodes of a mesh that every rank stores completely.
constexpr Index replicated_nodes = 50'000;

int rank_in(MPI_Comm communicator) {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    return rank;
}

/// The recurrence of a Chebyshev iteration for the eigenvalues in a band.
///
/// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., SIAM, 2003, algorithm 12.1.
class Chebyshev {
public:
    explicit Chebyshev(const Band& band)
        : middle_((band.greatest + band.least) / 2), half_(middle_ - band.least), rho_(half_ / middle_) {}

    struct Factors {
        double kept;  ///< weight of the preceding step
        double gain;  ///< weight of the residual
    };
    [[nodiscard]] Factors first() const { return {0, 1 / middle_}; }
    Factors next() {
        const double before = rho_;
        rho_ = 1 / (2 * middle_ / half_ - before);
        return {rho_ * before, 2 * rho_ / half_};
    }

private:
    double middle_;
    double half_;
    double rho_;
};

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
          line(layout.reach.extent(0) + 2),
          halved(axes_to_halve(mesh)),
          band(band_to_smooth(mesh, halved)),
          steps(smoothing_steps(band)) {}

    [[nodiscard]] bool replicated() const { return communicator == MPI_COMM_SELF; }

    MPI_Comm communicator;
    std::vector<Box> boxes;  ///< boxes of nodes, by rank
    Layout layout;
    Halo<Real> halo;
    MatrixFree<Real> rows;
    Product<Real> product;
    Field<Real> right_side;
    Field<Real> x;
    Field<Real> before;
    Field<Real> residual;
    ThreadLines<Real> line;
    Axes halved;  ///< axes that are halved on the next level; none on the last level
    Band band;
    Index steps;        ///< number of smoothing steps before the coarse correction, and again after it
    Shares restricted;  ///< the nodes of this level that this rank restricts to
};

template <typename Real>
class Multigrid final : public Preconditioner {
public:
    Multigrid(const Mesh& mesh, std::span<const Box> owned, MPI_Comm communicator) {
        add_level(mesh, {owned.begin(), owned.end()}, communicator);
        const Layout& layout = levels_.back()->layout;
        all_ = Shares(lines(layout, layout.owned)).joined();
        while (std::ranges::any_of(levels_.back()->halved, std::identity())) add_coarser();
        Level<Real>& last = *levels_.back();
        coarsest_ = std::make_unique<FusedCg<Real>>(last.product, last.communicator, coarsest_accounts_);
    }

    void apply(const Field<double>& r, Field<double>& z) override {
        Level<Real>& top = *levels_.front();
        top.product.segments().for_each([&](const Segment& s) {
            for (Index i = s.position; i < s.position + s.length; ++i) top.right_side[i] = static_cast<Real>(r[i]);
        });
        cycle(0);
        // The rows of prescribed nodes are rows of the identity.
        all_.for_each([&](const Segment& s) { std::copy_n(r.data() + s.position, s.length, z.data() + s.position); });
        top.product.segments().for_each([&](const Segment& s) {
            for (Index i = s.position; i < s.position + s.length; ++i) z[i] = static_cast<double>(top.x[i]);
        });
    }

    // Values that a cycle moves for a node of each level but the last. The pre-smoother moves 3 in its first step, 2 to
    // clear, and 5 in each further step. The residual takes 4, and its restriction 1. The correction takes 2, and the
    // post-smoother 5 in each step.
    [[nodiscard]] Work work() const override {
        Work sum{vector_bytes<double>(levels_.front()->layout.rows(), 4), 0};
        for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
            const Level<Real>& level = *levels_[l];
            const Index rows = level.layout.rows();
            sum.bytes += vector_bytes<Real>(rows, 5 + 5 * (2 * level.steps - 1) + 5 + 2);
            sum.flops += 2 * level.steps * (level.rows.product_flops() + 6 * rows) + 6 * rows;
        }
        return sum;
    }

private:
    void add_level(const Mesh& mesh, std::vector<Box> boxes, MPI_Comm communicator) {
        levels_.push_back(std::make_unique<Level<Real>>(mesh, std::move(boxes), communicator));
    }

    void add_coarser() {
        const Level<Real>& fine = *levels_.back();
        const Mesh mesh = halved(fine.layout.mesh, fine.halved);
        const Index3 step = coarsening(mesh, fine.layout.mesh);
        std::vector<Box> boxes;
        bool replicate = fine.replicated() || mesh.rows() <= replicated_nodes;
        for (const Box& box : fine.boxes) {
            boxes.push_back(coarse_box(box, step));
            replicate = replicate || boxes.back().volume() == 0;
        }
        if (replicate) boxes = {{.lo = {}, .hi = {mesh.nodes(0), mesh.nodes(1), mesh.nodes(2)}}};
        const Box mine = free_nodes(mesh, coarse_box(fine.layout.owned, step));
        add_level(mesh, std::move(boxes), replicate ? MPI_COMM_SELF : fine.communicator);
        Level<Real>& coarse = *levels_.back();
        coarse.restricted = Shares(lines(coarse.layout, mine));
    }

    /// Computes x, an approximate solution for the level's right side.
    void cycle(std::size_t l) {
        if (l + 1 == levels_.size()) return solve_coarsest();
        Level<Real>& fine = *levels_[l];
        Level<Real>& coarse = *levels_[l + 1];
        smooth_from_zero(fine);
        restrict_residual(fine, coarse);
        cycle(l + 1);
        coarse.halo.start(coarse.x.data());
        coarse.halo.finish();
        fine.product.segments().for_each([&](const Segment& s) {
            add_interpolated(fine.layout, s, fine.x.data(), coarse.layout, coarse.x.data(), fine.line.mine());
        });
        Chebyshev factors(fine.band);
        smooth(fine, factors.first());
        for (Index step = 1; step < fine.steps; ++step) smooth(fine, factors.next());
    }

    /// The first step needs no product.
    void smooth_from_zero(Level<Real>& level) {
        Chebyshev factors(level.band);
        const auto gain = static_cast<Real>(factors.first().gain);
        level.product.segments().for_each([&](const Segment& s) {
            const Real* b = level.right_side.data() + s.position;
            Real* x = level.x.data() + s.position;
            for (Index i = 0; i < s.length; ++i) x[i] = gain * b[i];
            std::fill_n(level.before.data() + s.position, s.length, Real{});
        });
        for (Index step = 1; step < level.steps; ++step) smooth(level, factors.next());
    }

    void smooth(Level<Real>& level, const Chebyshev::Factors& factors) {
        Real* x = level.x.data();
        level.product.sweep(x, [&](const Segment& s) {
            Real* product = level.line.mine();
            level.rows.multiply(s, x, product);
            chebyshev(s.length, factors.kept, factors.gain, level.right_side.data() + s.position, product,
                      x + s.position, level.before.data() + s.position);
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
        coarse.restricted.for_each([&](const Segment& s) {
            restrict_to(coarse.layout, s, coarse.right_side.data(), fine.layout, fine.residual.data(),
                        fine.line.mine());
        });
        if (gathered) {
            const MPI_Datatype type = std::is_same_v<Real, double> ? MPI_DOUBLE : MPI_FLOAT;
            MPI_Allreduce(MPI_IN_PLACE, coarse.right_side.data(), static_cast<int>(coarse.right_side.size()), type,
                          MPI_SUM, fine.communicator);
        }
    }

    /// Solves as exactly as Real allows, so that the cycle is a linear map.
    void solve_coarsest() {
        constexpr double reduction = 1e3 * std::numeric_limits<Real>::epsilon();
        constexpr Index enough = 10'000;
        Level<Real>& level = *levels_.back();
        level.product.segments().for_each([&](const Segment& s) {
            std::copy_n(level.right_side.data() + s.position, s.length, coarsest_->r().data() + s.position);
            std::fill_n(coarsest_->x().data() + s.position, s.length, Real{});
        });
        coarsest_->restart();
        const double target = reduction * coarsest_->residual_norm();
        for (Index i = 0; i < enough && coarsest_->residual_norm() > target; ++i) {
            if (!coarsest_->step()) break;
        }
        std::swap(level.x, coarsest_->x());
    }

    std::vector<std::unique_ptr<Level<Real>>> levels_;
    Shares all_;  ///< nodes of the finest level
    CgAccounts coarsest_accounts_;
    std::unique_ptr<FusedCg<Real>> coarsest_;
};

}  // namespace

template <typename Real>
std::unique_ptr<Preconditioner> make_multigrid(const Mesh& mesh, std::span<const Box> owned, MPI_Comm communicator) {
    return std::make_unique<Multigrid<Real>>(mesh, owned, communicator);
}

template std::unique_ptr<Preconditioner> make_multigrid<double>(const Mesh&, std::span<const Box>, MPI_Comm);
template std::unique_ptr<Preconditioner> make_multigrid<float>(const Mesh&, std::span<const Box>, MPI_Comm);

}  // namespace waywiser::minife
