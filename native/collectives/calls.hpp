/// Derives the collective operation as a whole from one rank's call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

/// Byte counts of a rank's call.
struct CallBytes {
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;  ///< size of the receive buffer
    /// bytes to each rank, if the arguments specify them
    std::span<const std::uint64_t> shares = {};  // NOLINT(readability-redundant-member-init): g++ warns without
};

/// \param operation  name such as "Allgather" or "Allgatherv", without "MPI_", "I" and "_init"
/// \return none if the operation is not a collective with a schedule
[[nodiscard]] std::optional<Collective> collective_of(std::string_view operation);

/// \param operation  as above
/// \param root       root of rooted collectives
[[nodiscard]] Operation operation_of(Collective collective, std::string_view operation, int ranks, int root,
                                     const CallBytes& call);

/// The first algorithm of the table that supports the operation.
[[nodiscard]] const Algorithm& default_algorithm(Collective collective, const Operation& operation);

/// A rank's bytes for each rank of an alltoall in the order of `Operation::shares`: by the distance to that rank.
[[nodiscard]] std::vector<std::uint64_t> by_distance(std::span<const std::uint64_t> to_ranks, int rank);

}  // namespace waywiser::collectives
