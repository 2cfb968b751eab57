/// The job's processes, which define the ranks of a profile, and the reasons why MPI is initialised in this process:
/// MPI_Init until MPI_Finalize, and each session (MPI-4.1, chapter 11).
///
/// A program of sessions has no MPI_COMM_WORLD. Its ranks are those of the process set mpi://WORLD, which every session
/// knows without communication. The group that translates ranks is made from any open session or the world, and freed
/// before its origin is closed, which a session may require.
#pragma once

#include "profile/preload/library.hpp"

namespace waywiser::profile {

/// Represents MPI_Init in the list of sessions.
[[nodiscard]] inline Handle world_model() { return reinterpret_cast<Handle>(library.comm_world); }

/// Called after MPI_Init has succeeded. If the ranks were reordered (native/rerank), the communicator that replaces
/// MPI_COMM_WORLD is the world.
void take_new_world();

/// Called after MPI_Init or MPI_Session_init has succeeded.
/// \return true if MPI was not up before
bool open_world(Handle by);

/// Called before MPI_Finalize or MPI_Session_finalize; if that fails, the world is opened again.
void close_world(Handle by);

/// Discards the world's group when MPI has ended, unless something is still open.
void drop_world();

/// True while MPI is up.
[[nodiscard]] bool world_is_open();

/// This process in the world, and the world's size; taken from the launcher's variables if the library cannot be
/// called.
/// \return true if both are known; `Library::ready` reports whether payloads are
bool rank_in_world(int* rank, int* size);

/// \param world_ranks  MPI_UNDEFINED for a process that is not in the world
/// \return false if the library cannot translate them
bool ranks_in_world(Handle group, int n, const int* ranks, int* world_ranks);

}  // namespace waywiser::profile
