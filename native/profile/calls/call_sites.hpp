/// The place in the program at which a call was made.
#pragma once

#include <cstdint>

#include "profile/calls/code_range.hpp"
#include "profile/calls/python_lines.hpp"

namespace waywiser::profile {

/// A return address relative to its file, or a line of Python.
struct Place {
    std::uint64_t module = 0;  ///< state::ModuleRecord::id; 0: code outside files, or unknown
    std::uint64_t address = 0;
    bool passed_on = false;        ///< true in code that calls MPI for the program; the place is then that of `beyond`
    const void* beyond = nullptr;  ///< the caller outside that code
};

/// The place of a return address. Takes the recorder's lock.
[[nodiscard]] Place place_of(const void* caller);

/// Gives a module an identifier and publishes it. Callers hold the recorder's lock.
/// \return null without memory
[[nodiscard]] const state::ModuleRecord* new_module(const state::ModuleRecord& module);

/// Code of the MPI library that was seen to call MPI on the program's behalf (MPICH's Fortran layer).
extern CodeRange mpi_code;

/// The first return address on the stack that lies beyond `caller` and beyond the MPI library; null if the stack is too
/// deep.
[[nodiscard]] const void* beyond_mpi(const void* caller);

/// The program's caller: `caller`, or the first caller beyond the MPI library's or mpi4py's own code.
[[nodiscard]] inline const void* program_caller(const void* caller) {
    if (__builtin_expect(mpi_code.contains(caller), 0)) return beyond_mpi(caller);
    return __builtin_expect(mpi4py_code.contains(caller), 0) ? python_caller(caller) : caller;
}

}  // namespace waywiser::profile
