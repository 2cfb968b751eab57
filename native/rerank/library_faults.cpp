#include "rerank/library_faults.hpp"

#include <cstring>

#include "profile/preload/library.hpp"

namespace waywiser::rerank {
namespace {

/// What follows a word and blanks in what the library says of itself is that version, or a later one of its line.
bool has_version(const char* label, const char* version) {
    static char text[profile::kLibraryVersionBytes];
    const char* found = profile::library_version(text) ? std::strstr(text, label) : nullptr;
    if (found == nullptr) return false;
    found += std::strlen(label);
    found += std::strspn(found, " \t");
    return std::strncmp(found, version, std::strlen(version)) == 0;
}

}  // namespace

bool library_mixes_windows() { return has_version("MPICH Version:", "4.0"); }

bool library_hangs_in_dist_graphs() { return has_version("Open MPI", "v4."); }

}  // namespace waywiser::rerank
