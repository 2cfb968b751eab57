#include "rerank/mixed_windows.hpp"

#include <cstring>

#include "profile/library.hpp"

namespace waywiser::rerank {

bool library_mixes_windows() {
    static char text[profile::kLibraryVersionBytes];
    constexpr char kLabel[] = "MPICH Version:";
    const char* version = profile::library_version(text) ? std::strstr(text, kLabel) : nullptr;
    if (version == nullptr) return false;
    version += sizeof kLabel - 1;
    version += std::strspn(version, " \t");
    return std::strncmp(version, "4.0", 3) == 0;
}

}  // namespace waywiser::rerank
