/// Who gets what: the thread's row of the communication matrix, in world ranks.
#pragma once

#include "profile/recorder.hpp"

namespace waywiser::profile {

/// Replaces a message's communicator by MPI_COMM_WORLD, and a collective's shares by world ranks, so
/// that a persistent request outlives its communicator.
void name_in_world(Payload& payload);

/// Replaces a persistent collective's communicator by what is known of its processes.
/// \param id  the call that makes the request
void name_collective(Id id, Payload& payload);

/// \param n  number of `ranks` of `comm`
/// \param world_ranks  -1 for a process that is not in MPI_COMM_WORLD, and for MPI_PROC_NULL
/// \return false if the library cannot tell
bool translate_ranks(Handle comm, int n, const int* ranks, int* world_ranks);

/// Adds what a collective sends to each destination, where its arguments name that.
void count_shares(ThreadState& thread, const Payload& payload);

/// Frees what name_in_world has kept for a request.
void forget_shares(Payload& payload);

}  // namespace waywiser::profile
