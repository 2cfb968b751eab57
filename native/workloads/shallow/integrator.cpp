#include "workloads/shallow/integrator.hpp"

#include "workloads/common/threads.hpp"

#include <algorithm>

namespace waywiser::shallow {
namespace {

State room(const Domain& domain, Index levels) {
    return {static_cast<Index>(domain.cells().size()), static_cast<Index>(domain.edges().size()), levels};
}

Fields<const double> read(const State& state) { return {state.thickness.row(0), state.velocity.row(0)}; }
Fields<double> written(State& state) { return {state.thickness.row(0), state.velocity.row(0)}; }

}  // namespace

Integrator::Integrator(const Domain& domain, Halo& halo, const Settings& settings)
    : domain_(domain),
      halo_(halo),
      settings_(settings),
      stride_(Rows::stride_for(settings.levels)),
      first_(room(domain, settings.levels)),
      second_(room(domain, settings.levels)),
      third_(room(domain, settings.levels)) {
    Index rows = 0;
    for (const Block& block : domain.blocks()) rows = std::max(rows, block.scratch_rows);
    for (int thread = 0; thread < thread_limit(); ++thread) {
        scratch_.emplace_back(static_cast<std::size_t>(rows * stride_));
    }
}

void Integrator::step(State& state, double seconds) {
    run({state, state, first_, seconds / 2, false});
    halo_.exchange(first_);
    run({first_, state, second_, seconds / 2, false});
    halo_.exchange(second_);
    run({second_, state, third_, seconds, false});
    halo_.exchange(third_);
    run({third_, state, state, seconds / 6, true});
    halo_.exchange(state);
}

void Integrator::run(const Move& move) {
    watch_.lap_s();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < domain_.blocks().size(); ++i) {
        stage_({.block = &domain_.blocks()[i],
                .scratch = scratch_[static_cast<std::size_t>(thread_number())].data(),
                .stride = stride_,
                .levels = settings_.levels,
                .gravity = gravity_m_s2,
                .keeps_energy = settings_.form == "energy",
                .work = settings_.work,
                .reach = move.reach,
                .at = read(move.at),
                .start = read(move.start),
                .next = written(move.next),
                .ends_step = move.ends_step,
                .first = read(first_),
                .second = read(second_)});
    }
    tendencies_s_ += watch_.lap_s();
}

}  // namespace waywiser::shallow
