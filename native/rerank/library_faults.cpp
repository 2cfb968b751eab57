#include "rerank/library_faults.hpp"

#include <cstring>

#include "profile/preload/library.hpp"

namespace waywiser::rerank {
namespace {

/// True if the label is followed by blanks and this version, or a later release of its series, in the library's version
/// string.
bool has_version(const char* label, const char* version) {
    static char text[profile::kLibraryVersionBytes];
    const char* rest = profile::library_version(text) ? std::strstr(text, label) : nullptr;
    if (rest == nullptr) return false;
    rest += std::strlen(label);
    rest += std::strspn(rest, " \t");
    return std::strncmp(rest, version, std::strlen(version)) == 0;
}

}  // namespace

bool library_mixes_windows() { return has_version("MPICH Version:", "4.0"); }

bool library_hangs_in_dist_graphs() { return has_version("Open MPI", "v4."); }

}  // namespace waywiser::rerank
