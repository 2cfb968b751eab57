/// Which of the profiler's names the loader finds: in every process exactly those calls that its
/// MPI library has, and none where there is no MPI.
///
/// A program that asks whether a call exists (by dlsym, as mpi4py does, or by a weak reference) then gets the answer
/// that it would have got without the profiler. A name is hidden through the type of its entry in the profiler's own
/// symbol table, in this process's memory. The loader skips types that cannot be referred to (glibc: ALLOWED_STT in
/// elf/dl-lookup.c).
#pragma once

namespace waywiser::profile {

/// Compares the names with what is loaded now. Where the table cannot be written, they stay as
/// they are.
void update_exports();

/// Takes back what was bound at the program's start, before the names could be compared: weak
/// references to calls that the MPI library lacks.
void unbind_weak_references();

/// True if the profiler has a wrapper of this name, in sight or not.
[[nodiscard]] bool wraps(const char* name);

/// The profiler's wrapper of this name; null if there is none, or if it is out of sight.
[[nodiscard]] void* exported(const char* name);

/// What a library that is preloaded remembers of code that has gone: each of them defines it.
void something_was_unloaded();

}  // namespace waywiser::profile
