/// Lines of Python that call MPI through mpi4py.
///
/// All of mpi4py's calls come from one extension module, whose addresses tell users nothing. So the calling thread's
/// Python frame (file, function, line) replaces the return address. The frame is read directly from memory. The
/// interpreter is not called, because mpi4py releases its lock before calling MPI, and nothing is counted, allocated or
/// written in it. The data cannot change meanwhile: the thread's own frames do not change while it is in MPI, and they
/// own references to their code. Only the first thread, which finalises the interpreter, destroys frames of others
/// (daemon threads), after it has announced finalisation. From then on, other threads use the return address, and so do
/// versions of Python whose layout is unknown.
#pragma once

#include <cstdint>

#include "profile/calls/code_range.hpp"
#include "trace/records/state.hpp"

namespace waywiser::profile {

/// A line of Python. Its address replaces a return address wherever call sites are distinguished.
struct PythonLine {
    std::uint64_t texts;  ///< hash of its file and function
    std::uint64_t line;
    const state::ModuleRecord* function;
};

/// Code of mpi4py's extension module, once it was seen to call MPI.
extern CodeRange mpi4py_code;

/// Registers mpi4py's code when an address first lies in it.
/// \param file  file of the address
/// \return true if this was the first time: `python_caller` can now resolve the address
[[nodiscard]] bool note_mpi4py(const char* file, const void* caller);

/// The line of Python that the calling thread executes; `caller` if it is unknown.
[[nodiscard]] const void* python_caller(const void* caller);

/// The line for a result of `python_caller`; null for an address of code.
[[nodiscard]] const PythonLine* python_line(const void* caller);

}  // namespace waywiser::profile
