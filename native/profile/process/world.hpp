/// The job's processes, by which a profile names its ranks, and the reasons why MPI is initialised in this process:
/// MPI_Init until MPI_Finalize, and each session (MPI-4.1, chapter 11).
///
/// A program of sessions has no MPI_COMM_WORLD. Its ranks are those of the process set mpi://WORLD, which every session
/// knows without communication. The group that translates ranks is made from any open session or the world, and freed
/// before that is closed: a session may insist on it.
#pragma once

#include "profile/preload/library.hpp"

namespace waywiser::profile {

/// Represents MPI_Init among the sessions.
[[nodiscard]] inline Handle world_model() { return reinterpret_cast<Handle>(library.comm_world); }

/// Called after MPI_Init has succeeded. If the ranks were reordered (native/rerank), the communicator that replaces
/// MPI_COMM_WORLD is the world.
void take_new_world();

/// Called after MPI_Init or MPI_Session_init has succeeded.
/// \return true if MPI was not up before
bool open_world(Handle by);

/// Called before MPI_Finalize or MPI_Session_finalize; if that fails, the world is opened again.
void close_world(Handle by);

/// MPI has ended, unless something is open.
void drop_world();

/// True while MPI is up.
[[nodiscard]] bool world_is_open();

/// This process in the world, and the world's size; as the launcher's variables say where the library
/// cannot be asked.
/// \return true if they are known; `Library::ready` says whether payloads are
bool rank_in_world(int* rank, int* size);

/// \param world_ranks  MPI_UNDEFINED for a process that is not in the world
/// \return false if the library cannot tell
bool ranks_in_world(Handle group, int n, const int* ranks, int* world_ranks);

}  // namespace waywiser::profile
