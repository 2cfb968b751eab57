#include "workloads/lattice/solver.hpp"

#include "workloads/common/threads.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::lattice {

double norm_of_even(double kappa) { return 1 + 64 * kappa * kappa; }

Solver::Solver(const Sites& sites, Dirac& dirac, const Ranks& ranks)
    : sites_(sites),
      dirac_(dirac),
      ranks_(ranks),
      kernels_(field_kernels(sites.lanes())),
      right_(sites),
      residual_(sites),
      search_(sites),
      intermediate_(sites),
      image_(sites) {}

Solved Solver::solve(const Full& b, double square_bound, double tolerance, Index most_iterations, Full& x) {
    const double kappa = dirac_.kappa();
    const double norm = norm_of_even(kappa);
    dirac_.hop(even, false, b[odd], kappa, &b[even], right_);
    dirac_.apply_even(true, right_, residual_);
    // |b_e + kappa H b_o| <= (1 + 8 kappa) |b|
    const double bound = norm * norm * (1 + 8 * kappa) * (1 + 8 * kappa) * square_bound;
    double square = dot(residual_, residual_, bound);
    const double first = square;
    const double target = tolerance * tolerance * first;
    double search_square = 0;
    double factor = 0;
    const Index values = sites_.blocks() * sites_.lanes() * spinor_values;
    std::fill_n(x[even].data(), values, 0.0);
    Solved solved;
    while (square > target && solved.iterations < most_iterations) {
        turn(factor);
        search_square = square + factor * factor * search_square;
        dirac_.apply_even(false, search_, intermediate_);
        dirac_.apply_even(true, intermediate_, image_);
        const double energy = dot(search_, image_, norm * norm * search_square);
        const double step = square / energy;
        // |r - step A p|^2 = step^2 |A p|^2 - |r|^2 and |A p|^2 <= |A| (p, A p)
        const double next = update(x[even], step, 2 * step * norm * norm * square);
        factor = next / square;
        square = next;
        ++solved.iterations;
    }
    solved.converged = square <= target;
    solved.residual = first > 0 ? std::sqrt(square / first) : 0;
    dirac_.hop(odd, false, x[even], kappa, &b[odd], x[odd]);
    return solved;
}

template <class Body>
double Solver::by_threads(Body body) {
    watch_.lap_s();
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const Index begin = sites_.blocks() * thread_number() / team_size();
        const Index end = sites_.blocks() * (thread_number() + 1) / team_size();
        sum = body(begin * spinor_values * sites_.lanes(), end - begin);
    }
    dirac_.sections().fields += watch_.lap_s();
    return sum;
}

double Solver::dot(const Half& a, const Half& b, double bound) {
    const double rounding = rounding_for(bound);
    return sum_over_ranks(by_threads([&](Index first, Index blocks) {
        double sum = 0;
        kernels_.dot({a.data() + first, b.data() + first, rounding, blocks, &sum});
        return sum;
    }));
}

double Solver::update(Half& x, double step, double bound) {
    const double rounding = rounding_for(bound);
    return sum_over_ranks(by_threads([&](Index first, Index blocks) {
        double sum = 0;
        kernels_.update({x.data() + first, residual_.data() + first, search_.data() + first, image_.data() + first,
                         step, rounding, blocks, &sum});
        return sum;
    }));
}

void Solver::turn(double factor) {
    by_threads([&](Index first, Index blocks) {
        kernels_.turn({search_.data() + first, residual_.data() + first, factor, blocks});
        return 0.0;
    });
}

double Solver::sum_over_ranks(double sum) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks_.communicator);
    dirac_.sections().sums += watch_.lap_s();
    return sum;
}

}  // namespace waywiser::lattice
