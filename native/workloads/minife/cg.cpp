#include "workloads/minife/cg.hpp"

#include "workloads/common/stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::minife {
namespace {

/// The vectors and clocks of one solve, so that its loop below reads like the algorithm.
class Solver {
public:
    Solver(Operator& a, Index rows, Index halo, MPI_Comm communicator)
        : a_(a), rows_(rows), communicator_(communicator), direction_(size(rows + halo)), product_(size(rows)) {
        result.solution = Array<double>(size(rows + halo));
        result.residual = Array<double>(size(rows));
        // First touch here, outside of the measured time.
        std::fill_n(result.solution.data(), rows + halo, 0.0);
        std::fill_n(result.residual.data(), rows, 0.0);
        std::fill_n(direction_.data(), rows + halo, 0.0);
        std::fill_n(product_.data(), rows, 0.0);
    }

    void run(const double* b, const CgStop& stop) {
        Stopwatch whole;
        double* x = result.solution.data();
        double* r = result.residual.data();
        double* p = direction_.data();
        double* q = product_.data();

        copy(x, p);
        apply();
        copy(b, r);
        axpy_timed(-1.0, q, r);
        double rr = dot_timed(r, r);
        result.initial_norm = std::sqrt(rr);
        double beta = 0;
        while (result.iterations < stop.iteration_limit && (stop.fixed_iterations || std::sqrt(rr) > stop.tolerance)) {
            xpby_timed(r, beta, p);
            apply();
            const double pq = dot_timed(p, q);
            if (!(pq > 0)) {
                result.broke_down = true;
                break;
            }
            const double alpha = rr / pq;
            axpy_timed(alpha, p, x);
            axpy_timed(-alpha, q, r);
            const double previous = rr;
            rr = dot_timed(r, r);
            beta = rr / previous;
            ++result.iterations;
        }
        result.residual_norm = std::sqrt(rr);
        result.converged = result.residual_norm <= stop.tolerance;
        result.times.exchange_s = a_.exchange_s();
        result.times.total_s = whole.lap_s();
    }

    CgResult result;

private:
    static std::size_t size(Index n) { return static_cast<std::size_t>(n); }

    void apply() {
        Stopwatch watch;
        a_.apply(direction_.data(), product_.data());
        result.times.matvec_s += watch.lap_s();
    }
    double dot_timed(const double* x, const double* y) {
        Stopwatch watch;
        const double local = dot(rows_, x, y);
        const double local_s = watch.lap_s();
        double global = 0;
        MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, communicator_);
        const double allreduce_s = watch.lap_s();
        result.times.dot_s += local_s + allreduce_s;
        result.times.allreduce_s += allreduce_s;
        return global;
    }
    void axpy_timed(double alpha, const double* x, double* y) {
        Stopwatch watch;
        axpy(rows_, alpha, x, y);
        result.times.update_s += watch.lap_s();
    }
    void xpby_timed(const double* x, double beta, double* y) {
        Stopwatch watch;
        xpby(rows_, x, beta, y);
        result.times.update_s += watch.lap_s();
    }
    void copy(const double* from, double* to) {
        Stopwatch watch;
        std::copy_n(from, rows_, to);
        result.times.update_s += watch.lap_s();
    }

    Operator& a_;
    Index rows_;
    MPI_Comm communicator_;
    Array<double> direction_;
    Array<double> product_;
};

}  // namespace

CgResult solve(Operator& a, const Array<double>& right_side, Index halo, const CgStop& stop, MPI_Comm communicator) {
    Solver solver(a, static_cast<Index>(right_side.size()), halo, communicator);
    MPI_Barrier(communicator);
    solver.run(right_side.data(), stop);
    return std::move(solver.result);
}

}  // namespace waywiser::minife
