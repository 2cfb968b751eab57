/// One-sided communication: the first rank of a pair accesses the memory of the second rank in a window of
/// MPI_Win_allocate. An iteration is one epoch, which is opened and completed according to --synchronisation.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <span>
#include <string_view>

namespace waywiser::mpibench {

struct SynchronisationName {
    std::string_view name;   ///< name on the command line
    std::string_view calls;  ///< name in OSU's programs
    Synchronisation kind;
};

/// \throws InvalidInput  with the known synchronisations
[[nodiscard]] const SynchronisationName& find_synchronisation(std::string_view name);
[[nodiscard]] const SynchronisationName& name_of(Synchronisation kind);

[[nodiscard]] std::span<const Benchmark> one_sided_benchmarks();

// Collective functions that are called before and after the iterations of one size.
void expose_block(Call& call);
void expose_window(Call& call);
void withdraw(Call& call);

/// Makes each rank's writes to its own memory visible to the other rank of the pair.
void settle(Call& call);

/// Calls `settle` and exchanges the blocks, so that the first rank knows the value to compare with.
void settle_comparand(Call& call);

// Each of these functions is one iteration.
void put(Call& call);
void get(Call& call);
void accumulate(Call& call);
void get_accumulate(Call& call);
void fetch_and_op(Call& call);
void compare_and_swap(Call& call);
void put_bandwidth(Call& call);
void get_bandwidth(Call& call);

// Expected received data.
[[nodiscard]] Expected of_partner_by_target(const Call& call, int block);
[[nodiscard]] Expected of_partner_by_origin(const Call& call, int block);
[[nodiscard]] Expected of_both_by_target(const Call& call, int block);
[[nodiscard]] Expected of_both_by_target_and_partner_by_origin(const Call& call, int block);
[[nodiscard]] Expected exchanged(const Call& call, int block);

}  // namespace waywiser::mpibench
