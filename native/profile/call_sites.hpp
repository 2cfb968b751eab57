/// Where in the program a call was made.
#pragma once

#include <cstdint>

namespace waywiser::profile {

/// A return address as its file has it.
struct Place {
    std::uint64_t module = 0;  ///< state::ModuleRecord::id; 0: code of no file, or not known
    std::uint64_t address = 0;
};

/// The place of a return address. Takes the recorder's lock.
[[nodiscard]] Place place_of(const void* caller);

}  // namespace waywiser::profile
