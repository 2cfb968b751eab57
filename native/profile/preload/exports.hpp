/// Visibility of the profiler's names to the loader: in every process exactly the calls that its MPI library has, and
/// none without MPI.
///
/// A program that asks whether a call exists (by dlsym, as mpi4py does, or by a weak reference) then gets the answer
/// that it would have got without the profiler. A name is hidden through the type of its entry in the profiler's own
/// symbol table, in this process's memory. The loader skips types that cannot be referred to (glibc: ALLOWED_STT in
/// elf/dl-lookup.c).
#pragma once

namespace waywiser::profile {

/// Compares the names with the currently loaded objects. If the table cannot be written, the names stay as they are.
void update_exports();

/// Unbinds weak references to calls that the MPI library lacks. They were bound at the program's start, before the
/// names could be compared.
void unbind_weak_references();

/// True if the profiler has a wrapper of this name, visible or hidden.
[[nodiscard]] bool wraps(const char* name);

/// The profiler's wrapper of this name; null if there is none or it is hidden.
[[nodiscard]] void* exported(const char* name);

/// Discards addresses of code that was unloaded; each preloaded library defines this function.
void something_was_unloaded();

}  // namespace waywiser::profile
