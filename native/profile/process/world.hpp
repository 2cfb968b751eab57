/// The job's processes, by which a profile names its ranks, and what has MPI up for this one of them:
/// MPI_Init until MPI_Finalize, and each session (MPI-4.1, chapter 11).
///
/// A program of sessions has no MPI_COMM_WORLD. Its ranks are those of the process set mpi://WORLD,
/// which every session knows without communication. The group that translates ranks is made from
/// whatever is open, and freed before that is closed: a session may insist on it.
#pragma once

#include "profile/preload/library.hpp"

namespace waywiser::profile {

/// What stands for MPI_Init among the sessions.
[[nodiscard]] inline Handle world_model() { return reinterpret_cast<Handle>(library.comm_world); }

/// MPI_Init has succeeded. Where the ranks were given another order (native/rerank), the communicator
/// that has taken MPI_COMM_WORLD's place is the world.
void take_new_world();

/// MPI_Init or MPI_Session_init has succeeded.
/// \return true if MPI was not up before
bool open_world(Handle by);

/// MPI_Finalize or MPI_Session_finalize is about to be called; where it fails, it is opened again.
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
