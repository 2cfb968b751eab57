#include "workloads/shallow/integrator.hpp"

#include "workloads/common/threads.hpp"

#include <algorithm>

namespace waywiser::shallow {
namespace {

State room(const Domain& domain, Index levels) {
    return {static_cast<Index>(domain.cells().size()), static_cast<Index>(domain.edges().size()), levels};
}

}  // namespace

Integrator::Integrator(const Domain& domain, Halo& halo, const Settings& settings)
    : domain_(domain),
      halo_(halo),
      settings_(settings),
      stride_(Rows::stride_for(settings.levels)),
      first_(room(domain, settings.levels)),
      second_(room(domain, settings.levels)),
      sum_(room(domain, settings.levels)) {
    Index rows = 0;
    for (const Block& block : domain.blocks()) rows = std::max(rows, block.scratch_rows());
    for (int thread = 0; thread < thread_limit(); ++thread) {
        scratch_.emplace_back(static_cast<std::size_t>(rows * stride_));
    }
}

void Integrator::step(State& state, double seconds) {
    stage(state, {state, sum_, seconds / 6, state, &first_, seconds / 2});
    halo_.exchange(first_);
    stage(first_, {sum_, sum_, seconds / 3, state, &second_, seconds / 2});
    halo_.exchange(second_);
    stage(second_, {sum_, sum_, seconds / 3, state, &first_, seconds});
    halo_.exchange(first_);
    stage(first_, {sum_, state, seconds / 6, state, nullptr, 0});
    halo_.exchange(state);
}

void Integrator::stage(const State& at, const Advance& advance) {
    watch_.lap_s();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < domain_.blocks().size(); ++i) {
        const Block& block = domain_.blocks()[i];
        double* scratch = scratch_[static_cast<std::size_t>(thread_number())].data();
        for (Index repeat = 0; repeat < settings_.work; ++repeat) compute(block, at, scratch);
        advance_block(block, scratch, advance);
    }
    tendencies_s_ += watch_.lap_s();
}

void Integrator::compute(const Block& block, const State& at, double* scratch) const {
    tendencies_({&block, at.thickness.row(0), at.velocity.row(0), stride_, settings_.levels, gravity_m_s2,
                 settings_.form == "energy", scratch});
}

void Integrator::advance_block(const Block& block, const double* rates, const Advance& advance) const {
    const auto advance_rows = [&](Rows State::* field, Index first, std::size_t rows) {
        const Index values = static_cast<Index>(rows) * stride_;
        update_({values, rates, (advance.base.*field).row(first), (advance.sum.*field).row(first), advance.weight,
                 (advance.start.*field).row(first), advance.next ? (advance.next->*field).row(first) : nullptr,
                 advance.reach});
        rates += values;
    };
    advance_rows(&State::thickness, block.first_cell, block.thicknesses.size());
    advance_rows(&State::velocity, block.first_edge, block.velocities.size());
}

}  // namespace waywiser::shallow
