/// One-sided communication in passive target mode: windows made by MPI_Win_allocate, one lock for all iterations, and a
/// flush that ends each (OSU's default).
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

namespace waywiser::mpibench {

// Before and after the iterations of one size, collective.
void expose_block(Call& call);
void expose_window(Call& call);
void withdraw(Call& call);

/// Between the two of a pair: what each wrote into its own memory is there for the other.
void settle(const Call& call);

// Each is one iteration.
void put(Call& call);
void get(Call& call);
void accumulate(Call& call);
void put_bandwidth(Call& call);
void get_bandwidth(Call& call);

// What must have arrived.
[[nodiscard]] Expected of_partner_by_target(const Call& call, int block);
[[nodiscard]] Expected of_partner_by_origin(const Call& call, int block);
[[nodiscard]] Expected of_both_by_target(const Call& call, int block);

}  // namespace waywiser::mpibench
