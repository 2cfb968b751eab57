#pragma once

#include <cstdint>

namespace waywiser::profile {

/// A range of code in memory, empty by default.
struct CodeRange {
    std::uintptr_t begin = 0;
    std::uintptr_t bytes = 0;

    [[nodiscard]] bool contains(const void* address) const {
        return reinterpret_cast<std::uintptr_t>(address) - begin < bytes;
    }
};

/// The loaded segment around an address; empty if there is none.
[[nodiscard]] CodeRange code_around(const void* address);

}  // namespace waywiser::profile
