#include "workloads/minife/solving.hpp"

namespace waywiser::minife {
namespace {

/// Iterations after which the residual and the products of the directions are recomputed. Their recurrences drift from
/// the true values, further than those of the standard form.
///
/// Source: S. Cools, E. F. Yetkin, E. Agullo, L. Giraud, W. Vanroose, "Analyzing the effect of local rounding error
/// propagation on the maximal attainable accuracy of the pipelined conjugate gradient method", SIAM J. Matrix Anal.
/// Appl. 39(1), 2018, pp. 426-450, doi:10.1137/17M1117872.
constexpr Index iterations_between_replacements = 50;

class PipelinedSolver {
public:
    PipelinedSolver(Product<double>& a, const Array<double>& b, MPI_Comm comm)
        : result(a.layout()),
          a_(a),
          b_(b),
          comm_(comm),
          w_(a.layout()),
          n_(a.layout()),
          p_(a.layout()),
          s_(a.layout()),
          z_(a.layout()) {}

    void run(const CgStop& stop) {
        Stopwatch whole;
        scatter(b_, a_.segments(), result.residual);
        apply(result.residual, w_);
        PipelinedSums local = sums();
        PipelinedSums before{0, 0};
        double alpha = 0;
        for (;;) {
            const PipelinedSums now = sum_during_product(local);
            result.residual_norm = std::sqrt(now.rr);
            if (result.iterations == 0) result.initial_norm = result.residual_norm;
            if (stop.at(result.iterations, result.residual_norm)) break;
            const double beta = result.iterations > 0 ? now.rr / before.rr : 0;
            const double curvature = result.iterations > 0 ? now.wr - beta * now.rr / alpha : now.wr;
            if (!(curvature > 0)) {
                result.broke_down = true;
                break;
            }
            alpha = now.rr / curvature;
            before = now;
            local = step(alpha, beta);
            if (++result.iterations % iterations_between_replacements == 0) local = replace();
        }
        finish(result, stop, a_.exchange_s(), {products_ * a_.halo().bytes(), 0}, whole.lap_s());
    }

    CgResult result;

private:
    void apply(Field<double>& x, Field<double>& y) {
        Stopwatch watch;
        a_.apply(x.data(), y.data());
        ++products_;
        result.accounts.matvec.add(watch.lap_s(), product_work(a_));
    }

    /// The sums over all ranks, while n = A w.
    PipelinedSums sum_during_product(const PipelinedSums& local) {
        PipelinedSums global{};
        static_assert(sizeof(PipelinedSums) == 2 * sizeof(double));
        MPI_Request request = MPI_REQUEST_NULL;
        Stopwatch watch;
        MPI_Iallreduce(&local, &global, 2, MPI_DOUBLE, MPI_SUM, comm_, &request);
        double seconds = watch.lap_s();
        apply(w_, n_);
        watch.lap_s();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seconds += watch.lap_s();
        result.accounts.allreduce.add(seconds, {16, 0});
        result.accounts.dot.add(seconds, {});
        return global;
    }

    PipelinedSums step(double alpha, double beta) {
        Stopwatch watch;
        const PipelinedSums local = a_.runs().sum([&](const Segment& run) {
            const auto at = [&](Field<double>& field) { return field.data() + run.position; };
            const PipelinedVectors vectors{
                at(result.solution), at(result.residual), at(w_), at(n_), at(p_), at(s_), at(z_)};
            return pipelined_step(run.length, alpha, beta, vectors);
        });
        const Index rows = a_.layout().rows();
        result.accounts.update.add(watch.lap_s(), {vector_bytes<double>(rows, 13), 16 * rows});
        return local;
    }

    /// Computes r = b - A x, w = A r, s = A p, z = A s.
    PipelinedSums replace() {
        compute_residual(a_, b_, result.solution, result.residual, result.accounts);
        ++products_;
        apply(result.residual, w_);
        apply(p_, s_);
        apply(s_, z_);
        return sums();
    }

    PipelinedSums sums() {
        Stopwatch watch;
        const PipelinedSums local = a_.runs().sum([&](const Segment& run) {
            const double* r = result.residual.data() + run.position;
            return PipelinedSums{dot(run.length, r, r), dot(run.length, w_.data() + run.position, r)};
        });
        const Index rows = a_.layout().rows();
        result.accounts.dot.add(watch.lap_s(), {vector_bytes<double>(rows, 3), 4 * rows});
        return local;
    }

    Product<double>& a_;
    const Array<double>& b_;
    MPI_Comm comm_;
    Field<double> w_;
    Field<double> n_;
    Field<double> p_;
    Field<double> s_;
    Field<double> z_;
    Index products_ = 0;
};

}  // namespace

CgResult solve_pipelined(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm) {
    PipelinedSolver solver(a, b, comm);
    MPI_Barrier(comm);
    solver.run(stop);
    return std::move(solver.result);
}

}  // namespace waywiser::minife
