/// What a call of a collective says of the operation as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

/// What a rank's call names.
struct CallBytes {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;  ///< room of what it receives
    /// to each rank, where the arguments name them
    std::span<const std::uint64_t> shares = {};  // NOLINT(readability-redundant-member-init): g++ warns without
};

/// \param operation  "Allgather", "Allgatherv", …: without "MPI_", "I" and "_init"
/// \return none if the operation is not a collective with a schedule
[[nodiscard]] std::optional<Collective> collective_of(std::string_view operation);

/// \param operation  as above
/// \param root       of those that have one
[[nodiscard]] Operation operation_of(Collective collective, std::string_view operation, int ranks, int root,
                                     const CallBytes& call);

/// The first algorithm of the table that supports the operation.
[[nodiscard]] const Algorithm& default_algorithm(Collective collective, const Operation& operation);

/// What a rank has for each rank of an alltoall, as `Operation::shares` has it: by the distance to that rank.
[[nodiscard]] std::vector<std::uint64_t> by_distance(std::span<const std::uint64_t> to_ranks, int rank);

}  // namespace waywiser::collectives
