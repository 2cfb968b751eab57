/// Runge and Kutta's method of order 4, by blocks of cells in all threads.
#pragma once

#include "workloads/shallow/halo.hpp"
#include "workloads/shallow/settings.hpp"

#include <vector>

namespace waywiser::shallow {

/// Of all steps so far [s].
struct Sections {
    double tendencies = 0;
    double packing = 0;
    double waiting = 0;
};

class Integrator {
public:
    Integrator(const Domain& domain, Halo& halo, const Settings& settings);

    /// One step. The state's halo must be that of its owners, and is so afterwards.
    void step(State& state, double seconds);

    [[nodiscard]] Sections sections() const {
        return {tendencies_s_, halo_.times().packing_s, halo_.times().waiting_s};
    }

private:
    /// What a stage does with its rates: sum = base + weight rate, and next = start + reach rate.
    struct Advance {
        const State& base;
        State& sum;
        double weight;
        const State& start;
        State* next;  ///< or none
        double reach;
    };
    void stage(const State& at, const Advance& advance);
    void compute(const Block& block, const State& at, double* scratch) const;
    void advance_block(const Block& block, const double* rates, const Advance& advance) const;

    const Domain& domain_;
    Halo& halo_;
    const Settings& settings_;
    Index stride_;
    Kernel<Tendencies> tendencies_ = tendencies_kernel();
    Kernel<Update> update_ = update_kernel();
    State first_, second_, sum_;
    std::vector<Array<double>> scratch_;  ///< of each thread
    Stopwatch watch_;
    double tendencies_s_ = 0;
};

}  // namespace waywiser::shallow
