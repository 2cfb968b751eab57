/// MPI calls that are made while another is in progress on the same thread: the library's own, and the
/// program's in what the library calls back (attributes that are deleted, reductions, generalised
/// requests, error handlers).
///
/// Whose they are, the return address tells: the library's are those from a file that defines MPI
/// calls, from a component of Open MPI, and from the C++ bindings. So another tool's calls count as the
/// library's, and so does a callback's last one if the compiler made it a jump.
#pragma once

namespace waywiser::profile {

/// Whether the program made the call that returns to this address.
[[nodiscard]] bool called_by_program(const void* return_address);

}  // namespace waywiser::profile
