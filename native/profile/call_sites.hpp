/// Where in the program a call was made.
#pragma once

#include <cstdint>

namespace waywiser::profile {

/// A return address as its file has it.
struct Place {
    std::uint64_t module = 0;  ///< state::ModuleRecord::id; 0: code of no file, or not known
    std::uint64_t address = 0;
    bool within_mpi = false;  ///< in the MPI library itself
};

/// The place of a return address. Takes the recorder's lock.
[[nodiscard]] Place place_of(const void* caller);

/// Code of the MPI library that was seen to call MPI for the program: MPICH's Fortran layer.
struct MpiCode {
    std::uintptr_t begin = 0;
    std::uintptr_t bytes = 0;
};
extern MpiCode mpi_code;

/// The first return address on the stack that lies beyond `caller` and beyond the MPI library; null
/// if that is too deep.
[[nodiscard]] const void* beyond_mpi(const void* caller);

/// Where the program called: `caller`, or what lies beyond the MPI library's own code.
[[nodiscard]] inline const void* program_caller(const void* caller) {
    const bool within_mpi = reinterpret_cast<std::uintptr_t>(caller) - mpi_code.begin < mpi_code.bytes;
    return __builtin_expect(within_mpi, 0) ? beyond_mpi(caller) : caller;
}

}  // namespace waywiser::profile
