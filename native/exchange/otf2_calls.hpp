/// MPI functions in the terms of OTF2, and the properties that their names alone determine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/records/trace.hpp"

namespace waywiser::exchange::otf2 {

inline constexpr std::uint8_t kNoOperation = 255;

/// OTF2_CollectiveOp of the operations whose records are evaluated.
enum Operation : std::uint8_t {
    kBarrier = 0,
    kBcast = 1,
    kAllgather = 6,
    kAllgatherv = 7,
    kAllreduce = 11,
    kReduce = 12,
    kCreateHandle = 17,
};

/// \return an OTF2_CollectiveOp, or kNoOperation if OTF2 does not know `function`
[[nodiscard]] std::uint8_t operation_of(std::string_view function);

/// The usual action of a function of this name; `none` if unknown.
[[nodiscard]] trace::Action action_of(std::string_view function);

/// \return an OTF2_RegionRole
[[nodiscard]] std::uint8_t role_of(std::string_view function);

/// The MPI function of a region: "MPI_Send" for "MPI_Send()" (TAU), "mpi_send_" and "MPI_SEND" (Fortran); empty for
/// other regions.
[[nodiscard]] std::string function_of(std::string_view region);

/// Factors that convert the bytes of a call to the bytes of its record: OTF2's writers count each destination of a
/// collective (Score-P's scorep_mpi_coll.c), a profile counts the buffer.
struct Multipliers {
    std::uint64_t sent = 1;
    std::uint64_t received = 1;
};

/// \param processes  number of processes of the communicator
[[nodiscard]] Multipliers multipliers_of(std::uint8_t operation, std::uint64_t processes);

/// Converts a root of Parameters to OTF2_CollectiveRoot, and back.
[[nodiscard]] std::uint32_t root_record(std::int32_t peer);
[[nodiscard]] std::int32_t root_peer(std::uint32_t record);

}  // namespace waywiser::exchange::otf2
