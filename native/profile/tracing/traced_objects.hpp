/// Communicators, windows and files of a trace, by numbers of the process's own.
///
/// MPI_COMM_WORLD is 0 and MPI_COMM_SELF 1; others follow in the order in which they are made. A new object takes over
/// the number and the context of a freed object with the same processes and the same parent. A loop that makes and
/// frees communicators therefore reuses its numbers and takes no memory.
///
/// A context is the same on all members without communication. It follows from the parent's context, the members' world
/// ranks, and the number of living objects of the same kind, parent and members. These numbers agree because making and
/// freeing are collective over the same processes, and so come in the same order on each of them (MPI-4.1, section
/// 6.4.2).
#pragma once

#include "profile/calls/recorder.hpp"

namespace waywiser::profile {

/// \return number of a communicator; trace::kNone for none, trace::kUnknown beyond the limit of distinguished ones
[[nodiscard]] std::int32_t find_object(ThreadState& thread, std::uintptr_t key, Handle communicator);

/// Number of a communicator. A communicator whose making was not seen gets its number here.
[[nodiscard]] inline std::int32_t object_of(Handle communicator) {
    const std::uintptr_t key = library.key(communicator);
    const ObjectEntry& entry = self->objects[object_slot(key)];
    if (__builtin_expect(entry.key == key && entry.generation == __atomic_load_n(&object_generation, __ATOMIC_RELAXED),
                         1)) {
        return entry.number;
    }
    return find_object(*self, key, communicator);
}

/// Number of a window; trace::kUnknown if its making was not seen.
[[nodiscard]] std::int32_t window_of(Handle window);

/// Number of a file; trace::kUnknown if its making was not seen. A file's handle is an address in every family.
[[nodiscard]] std::int32_t file_of(Handle file);

/// Gives a number to the communicator that a call has made.
/// \param parent  communicator that contains its processes; null: it was made of groups
/// \return trace::kNone if the call made none for this process
[[nodiscard]] std::int32_t new_communicator(Handle parent, Handle created);

/// Gives a number to a duplicate that is not complete yet: its processes cannot be queried yet.
[[nodiscard]] std::int32_t new_duplicate(Handle parent, Handle created);

[[nodiscard]] std::int32_t new_window(Handle parent, Handle created);
[[nodiscard]] std::int32_t new_file(Handle parent, Handle created);

/// Number of the file that a call has opened.
[[nodiscard]] inline Handle first_file(const void* fh) {
    return fh == nullptr ? nullptr : *static_cast<const Handle*>(fh);
}

/// TraceListRecord::id of a group's ranks in a window's group; 0 if the library cannot tell.
[[nodiscard]] std::uint32_t list_of_group(Handle group, Handle window);

/// TraceListRecord::id of the ranks of the caller's neighbours in a communicator: first the sources, then the
/// destinations; 0 if there are none.
/// \param in  gets the number of sources
[[nodiscard]] std::uint32_t list_of_neighbours(Handle communicator, std::int64_t* in);

/// Removes an object before it is freed, because another thread may get the handle as soon as it is free.
/// \return its number
std::int32_t forget_object(Handle communicator_or_window);
std::int32_t forget_file(Handle file);

/// Records the name that the program gave to a communicator.
void name_object(Handle communicator);

}  // namespace waywiser::profile
