#include "workloads/minife/solving.hpp"

namespace waywiser::minife {
namespace {

class PreconditionedSolver {
public:
    PreconditionedSolver(Product<double>& a, Preconditioner& m, MPI_Comm comm)
        : result(a.layout()), a_(a), m_(m), comm_(comm), p_(a.layout()), q_(a.layout()), z_(a.layout()) {}

    void run(const Array<double>& b, const CgStop& stop) {
        Stopwatch whole;
        Field<double>& r = result.residual;
        scatter(b, a_.segments(), r);
        result.residual_norm = result.initial_norm =
            std::sqrt(sum_over_ranks(dot(a_.runs(), r, r), result.accounts, comm_));
        double rz_before = 0;
        while (!stop.at(result.iterations, result.residual_norm)) {
            precondition();
            const double rz = dot_timed(r, z_);
            direct(rz_before > 0 ? rz / rz_before : 0);
            const double pq = multiply();
            if (!(rz > 0) || !(pq > 0)) {
                result.broke_down = true;
                break;
            }
            rz_before = rz;
            result.residual_norm = std::sqrt(advance_all(rz / pq));
            ++result.iterations;
        }
        finish(result, stop, a_.exchange_s(), {result.iterations * a_.halo().bytes(), 0}, whole.lap_s());
    }

    CgResult result;

private:
    static double* at(Field<double>& field, const Segment& s) { return field.data() + s.position; }
    [[nodiscard]] Index rows() const { return a_.layout().rows(); }

    void precondition() {
        Stopwatch watch;
        m_.apply(result.residual, z_);
        result.accounts.preconditioner.add(watch.lap_s(), m_.work());
    }

    double dot_timed(const Field<double>& x, const Field<double>& y) {
        Stopwatch watch;
        const double local = dot(a_.runs(), x, y);
        result.accounts.dot.add(watch.lap_s(), {vector_bytes<double>(rows(), 2), 2 * rows()});
        return sum_over_ranks(local, result.accounts, comm_);
    }

    /// Computes p = z + beta p.
    void direct(double beta) {
        Stopwatch watch;
        a_.runs().for_each([&](const Segment& run) { xpby(run.length, at(z_, run), beta, at(p_, run)); });
        result.accounts.update.add(watch.lap_s(), {vector_bytes<double>(rows(), 3), 2 * rows()});
    }

    /// Computes q = A p. \return p.q
    double multiply() {
        Stopwatch watch;
        const double local = a_.sweep_sum(p_.data(), [&](const Segment& s) {
            a_.rows().multiply(s, p_.data(), at(q_, s));
            return dot(s.length, at(p_, s), at(q_, s));
        });
        Work work = product_work(a_);
        work.flops += 2 * rows();
        result.accounts.matvec.add(watch.lap_s(), work);
        return sum_over_ranks(local, result.accounts, comm_);
    }

    /// Computes x += alpha p and r -= alpha q. \return r.r
    double advance_all(double alpha) {
        Stopwatch watch;
        const double local = a_.runs().sum([&](const Segment& run) {
            return advance(run.length, alpha, at(p_, run), at(q_, run), at(result.solution, run),
                           at(result.residual, run));
        });
        result.accounts.update.add(watch.lap_s(), {vector_bytes<double>(rows(), 6), 6 * rows()});
        return sum_over_ranks(local, result.accounts, comm_);
    }

    Product<double>& a_;
    Preconditioner& m_;
    MPI_Comm comm_;
    Field<double> p_;
    Field<double> q_;
    Field<double> z_;
};

}  // namespace

CgResult solve_preconditioned(Product<double>& a, Preconditioner& m, const Array<double>& b, const CgStop& stop,
                              MPI_Comm comm) {
    PreconditionedSolver solver(a, m, comm);
    MPI_Barrier(comm);
    solver.run(b, stop);
    return std::move(solver.result);
}

}  // namespace waywiser::minife
