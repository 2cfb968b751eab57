/// The communicator that replaces MPI_COMM_WORLD if the ranks were reordered.
///
/// Every call with a communicator argument passes on this communicator instead of MPI_COMM_WORLD (forwarders.cpp, which
/// generate_forwarders.py writes; docs/design/014).
#pragma once

#include <climits>
#include <cstdint>

#include "profile/preload/library.hpp"

namespace waywiser::rerank {

using profile::Handle;

struct NewWorld {
    std::uintptr_t identifying_bits = 0;  ///< bits of a handle that identify it
    std::uintptr_t replaced = 1;          ///< MPI_COMM_WORLD; 1, which is not a handle, if it is not replaced
    Handle communicator = nullptr;
    int replaced_in_fortran = INT_MIN;
    int in_fortran = 0;          ///< the communicator as Fortran's handle
    bool mixes_windows = false;  ///< the library mixes up the memory of a window's ranks
};
extern NewWorld new_world;

[[nodiscard]] inline bool is_replaced(Handle comm) {
    return (reinterpret_cast<std::uintptr_t>(comm) & new_world.identifying_bits) == new_world.replaced;
}
[[nodiscard]] inline bool is_replaced(const int* comm) { return *comm == new_world.replaced_in_fortran; }

/// The handle to pass on for the communicator of the program's call.
[[nodiscard]] inline Handle in_place_of(Handle comm) { return is_replaced(comm) ? new_world.communicator : comm; }
[[nodiscard]] inline int* in_place_of(int* comm) { return is_replaced(comm) ? &new_world.in_fortran : comm; }

/// Called after MPI_Init has succeeded. Collective; reorders the ranks once if an order is requested.
void rank_anew();

/// \param result  result of MPI_Init
inline int ranked_anew(int result) {
    if (result == 0) rank_anew();
    return result;
}

/// Ends the program before it makes a window in which the library would put data into the wrong rank's memory.
void end_mixed_window(Handle comm);

inline void refuse_mixed_window(Handle comm) {
    if (__builtin_expect(new_world.mixes_windows, 0)) end_mixed_window(comm);
}

/// Looks up an attribute. The library's own (MPI_TAG_UB, MPI_UNIVERSE_SIZE, …) may exist on MPI_COMM_WORLD only (Open
/// MPI), while attributes that the program sets belong to the new communicator.
/// \param ask   calls the library for a communicator
/// \param flag  gets true if the attribute exists
template <class Comm, class Ask>
auto look_for_attribute(Comm comm, Ask&& ask, const void* flag) {
    const auto result = ask(in_place_of(comm));
    if (result != 0 || !is_replaced(comm) || *static_cast<const int*>(flag) != 0) return result;
    return ask(comm);
}

/// Errors that belong to no communicator are still raised on MPI_COMM_WORLD (MPI-4.1, section 9.3).
template <class Comm, class Set>
auto set_error_handler(Comm comm, Set&& set) {
    const auto result = set(in_place_of(comm));
    return result == 0 && is_replaced(comm) ? set(comm) : result;
}

}  // namespace waywiser::rerank
