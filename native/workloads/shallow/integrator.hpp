/// The Runge-Kutta method of order 4; threads process blocks of cells.
#pragma once

#include "workloads/common/sections.hpp"
#include "workloads/shallow/halo.hpp"
#include "workloads/shallow/settings.hpp"

#include <vector>

namespace waywiser::shallow {

/// Times of all steps so far [s].
struct Sections {
    double tendencies = 0;
    double packing = 0;
    double waiting = 0;
};

inline constexpr Section<Sections> section_table[] = {{"tendencies", "tendencies", &Sections::tendencies},
                                                      {"packing", "packing", &Sections::packing},
                                                      {"waiting", "waiting", &Sections::waiting}};

class Integrator {
public:
    Integrator(const Domain& domain, Halo& halo, const Settings& settings);

    /// Advances by one step. The state's halo must have its owners' values before the step, and has them afterwards.
    void step(State& state, double seconds);

    [[nodiscard]] Sections sections() const {
        return {tendencies_s_, halo_.times().packing_s, halo_.times().waiting_s};
    }

private:
    /// A stage: next = start + reach * rate(at). The last stage also adds the results of the previous stages.
    struct Move {
        const State& at;
        const State& start;
        State& next;
        double reach;
        bool ends_step;
    };
    void run(const Move& move);

    const Domain& domain_;
    Halo& halo_;
    const Settings& settings_;
    Index stride_;
    Kernel<Stage> stage_ = stage_kernel();
    State first_, second_, third_;
    std::vector<Array<double>> scratch_;  ///< scratch memory of each thread
    Stopwatch watch_;
    double tendencies_s_ = 0;
};

}  // namespace waywiser::shallow
