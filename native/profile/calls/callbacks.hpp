/// MPI calls that are made while another call is in progress on the same thread. Such calls are made by the library
/// itself, or by the program's callbacks (attribute deletion, reductions, generalised requests, error handlers).
///
/// The return address shows which. Calls from a file that defines MPI calls, from a component of Open MPI, or from the
/// C++ bindings count as the library's. Another tool's calls therefore count as the library's too, and so does a
/// callback's last call if the compiler made it a jump.
#pragma once

namespace waywiser::profile {

/// True if the program made the call that returns to this address.
[[nodiscard]] bool called_by_program(const void* return_address);

}  // namespace waywiser::profile
