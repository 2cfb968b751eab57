/// Open MPI's selections, read from its memory because no function returns them.
#pragma once

#include <cctype>
#include <cstddef>
#include <cstring>

namespace waywiser {

/// The name of a selected MCA component of that type (three letters, e.g. "pml"); null if it is not found.
///
/// The name follows the type's name in the component's description (opal/mca/mca.h keeps both as fixed arrays). The
/// function searches for the type, since the description has grown between versions and offsets with it.
inline const char* open_mpi_component_name(const char* component, const char* type) {
    constexpr std::size_t searched = 192;
    for (std::size_t i = 0; i + 4 < searched; ++i) {
        if (std::memcmp(component + i, type, 4) != 0) continue;
        for (std::size_t j = i + 4; j < searched; ++j) {
            const bool printable = std::isalnum(static_cast<unsigned char>(component[j])) != 0;
            if (printable && std::isalnum(static_cast<unsigned char>(component[j + 1])) != 0) return component + j;
        }
    }
    return nullptr;
}

}  // namespace waywiser
