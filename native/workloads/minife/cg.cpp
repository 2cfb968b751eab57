#include "workloads/minife/solving.hpp"

namespace waywiser::minife {
namespace {

/// The vectors and clocks of one solve, so that the loop below resembles the algorithm.
class StandardSolver {
public:
    StandardSolver(Product<double>& a, MPI_Comm communicator)
        : result(a.layout()),
          a_(a),
          communicator_(communicator),
          rows_(a.layout().rows()),
          direction_(a.layout()),
          product_(a.layout()) {}

    void run(const Array<double>& b, const CgStop& stop) {
        Stopwatch whole;
        Field<double>& x = result.solution;
        Field<double>& r = result.residual;
        Field<double>& p = direction_;
        Field<double>& q = product_;

        copy(x, p);
        apply();
        start_from(b, r);
        axpy_timed(-1.0, q, r);
        double rr = dot_timed(r, r, 1);
        result.initial_norm = std::sqrt(rr);
        double beta = 0;
        while (!stop.at(result.iterations, std::sqrt(rr))) {
            xpby_timed(r, beta, p);
            apply();
            const double pq = dot_timed(p, q, 2);
            if (!(pq > 0)) {
                result.broke_down = true;
                break;
            }
            const double alpha = rr / pq;
            axpy_timed(alpha, p, x);
            axpy_timed(-alpha, q, r);
            const double previous = rr;
            rr = dot_timed(r, r, 1);
            beta = rr / previous;
            ++result.iterations;
        }
        result.residual_norm = std::sqrt(rr);
        const Work exchanges{(result.iterations + 1) * a_.halo().bytes(), 0};
        finish(result, stop, a_.exchange_s(), exchanges, whole.lap_s());
    }

    CgResult result;

private:
    void apply() {
        Stopwatch watch;
        a_.apply(direction_.data(), product_.data());
        result.accounts.matvec.add(watch.lap_s(), product_work(a_));
    }
    /// \param vectors  number of different vectors that are read: one or two
    double dot_timed(const Field<double>& x, const Field<double>& y, Index vectors) {
        Stopwatch watch;
        const double local = dot(a_.runs(), x, y);
        result.accounts.dot.add(watch.lap_s(), {vector_bytes<double>(rows_, vectors), 2 * rows_});
        return sum_over_ranks(local, result.accounts, communicator_);
    }
    void axpy_timed(double alpha, const Field<double>& x, Field<double>& y) {
        update(2 * rows_,
               [&](const Segment& run) { axpy(run.length, alpha, x.data() + run.position, y.data() + run.position); });
    }
    void xpby_timed(const Field<double>& x, double beta, Field<double>& y) {
        update(2 * rows_,
               [&](const Segment& run) { xpby(run.length, x.data() + run.position, beta, y.data() + run.position); });
    }
    void copy(const Field<double>& from, Field<double>& to) {
        update(0, [&](const Segment& run) {
            std::copy_n(from.data() + run.position, run.length, to.data() + run.position);
        });
    }
    void start_from(const Array<double>& b, Field<double>& r) {
        Stopwatch watch;
        scatter(b, a_.segments(), r);
        result.accounts.update.add(watch.lap_s(), {vector_bytes<double>(rows_, 3), 0});
    }
    /// Reads two values per node and writes one, in place or with a write-allocate.
    template <typename Loop>
    void update(Index flops, Loop loop) {
        Stopwatch watch;
        a_.runs().for_each(loop);
        result.accounts.update.add(watch.lap_s(), {vector_bytes<double>(rows_, 3), flops});
    }

    Product<double>& a_;
    MPI_Comm communicator_;
    Index rows_;
    Field<double> direction_;
    Field<double> product_;
};

}  // namespace

CgResult solve_standard(Product<double>& a, const Array<double>& b, const CgStop& stop, MPI_Comm comm) {
    StandardSolver solver(a, comm);
    MPI_Barrier(comm);
    solver.run(b, stop);
    return std::move(solver.result);
}

}  // namespace waywiser::minife
