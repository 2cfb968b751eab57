/// Lines of Python that call MPI through mpi4py.
///
/// All of mpi4py's calls come from one extension module, whose addresses mean nothing to its users. So the frame of
/// Python that the calling thread is in stands for the return address: file, function, line. The frame is read directly
/// from memory. The interpreter is not called, because mpi4py releases its lock before calling MPI, and nothing is
/// counted, allocated or written in it. The data cannot change meanwhile: the thread's own frames rest while it is in
/// MPI, and they hold their code. Only the first thread, which ends the interpreter, takes frames from others: from
/// daemon threads, after it has announced its end. From then on other threads keep the return address, as do versions
/// of Python whose layout is not known.
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

/// Takes note of mpi4py's code, where an address lies in it for the first time.
/// \param file  that the address lies in
/// \return true if it was the first time: `python_caller` knows more of the address now
[[nodiscard]] bool note_mpi4py(const char* file, const void* caller);

/// The line of Python that the calling thread is in; `caller` where it is not known.
[[nodiscard]] const void* python_caller(const void* caller);

/// The line for a result of `python_caller`; null for an address of code.
[[nodiscard]] const PythonLine* python_line(const void* caller);

}  // namespace waywiser::profile
