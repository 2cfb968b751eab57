/// Counts sent messages: the thread's row of the communication matrix, in world ranks.
#pragma once

#include "profile/calls/recorder.hpp"
#include "profile/process/process.hpp"

namespace waywiser::profile {

/// \param n  number of `ranks` of `comm`
/// \param world_ranks  -1 for a process that is not in MPI_COMM_WORLD, and for MPI_PROC_NULL
/// \return false if the library cannot tell
bool translate_ranks(Handle comm, int n, const int* ranks, int* world_ranks);

/// \return the rank in MPI_COMM_WORLD of a rank of `comm`, -1 if that process is not in it
[[nodiscard]] int world_rank_of(Handle comm, int rank);

/// Number of ranks, or of neighbours, to which a collective on `comm` sends.
[[nodiscard]] int destinations_of(Handle comm, Shares::To to);

/// The bytes of a persistent collective for each destination in world ranks, because the communicator and the arguments
/// may no longer exist when the request is started. Null if the arguments specify no destinations.
[[nodiscard]] Spread* spread_of(const CollectivePayload& payload);

void count_spread(ThreadState& thread, const Spread& spread);

/// Frees what `spread_of` returned, which may be null.
void release(const Spread* spread);

/// Replaces world ranks of processes outside MPI_COMM_WORLD by -1.
void keep_world(int* world_ranks, int n);

/// The processes of a communicator; null if there is no memory for another record.
/// \param members  gets the fingerprint of the processes, even beyond the limit of distinguished sets
[[nodiscard]] const state::CommunicatorRecord* communicator_of(Handle comm, std::uint64_t* members = nullptr);

/// Fingerprint of the caller's own group of an intercommunicator; 0 if the library cannot tell.
[[nodiscard]] std::uint64_t own_group(Handle comm);

/// Writes the name of a communicator as one line; writes nothing if the library does not provide the name.
template <std::size_t N>
void copy_name_of(Handle communicator, char (&to)[N]) {
    char name[kObjectNameBytes] = {};
    int length = 0;
    if (library.comm_get_name != nullptr && library.comm_get_name(communicator, name, &length) == 0)
        copy_line(to, name);
}

}  // namespace waywiser::profile
