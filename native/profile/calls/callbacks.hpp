/// MPI calls that are made while another call is in progress on the same thread. They are the library's own, or the
/// program's in callbacks (attribute deletion, reductions, generalised requests, error handlers).
///
/// The return address tells whose they are. Calls from a file that defines MPI calls, from a component of Open MPI, or
/// from the C++ bindings are the library's. Another tool's calls therefore count as the library's, and so does a
/// callback's last call if the compiler made it a jump.
#pragma once

namespace waywiser::profile {

/// True if the program made the call that returns to this address.
[[nodiscard]] bool called_by_program(const void* return_address);

}  // namespace waywiser::profile
