#include "profile/preload/preload_list.hpp"

#include <cstdlib>
#include <cstring>

namespace waywiser::profile {
namespace {

constexpr const char* kSeparators = ": ";  // ld.so(8) accepts both separators.

/// True for the file of one of Waywiser's libraries, in any directory.
bool is_own(const char* path) {
    constexpr char kPrefix[] = "libwaywiser-";
    const char* slash = std::strrchr(path, '/');
    return std::strncmp(slash == nullptr ? path : slash + 1, kPrefix, sizeof kPrefix - 1) == 0;
}

}  // namespace

void leave_preload_list() {
    const char* list = std::getenv("LD_PRELOAD");
    char* words = list == nullptr ? nullptr : strdup(list);
    char* rest = list == nullptr ? nullptr : strdup(list);
    if (words != nullptr && rest != nullptr) {
        char* end = rest;
        char* next = nullptr;
        for (const char* path = strtok_r(words, kSeparators, &next); path != nullptr;
             path = strtok_r(nullptr, kSeparators, &next)) {
            if (is_own(path)) continue;
            if (end != rest) *end++ = ':';
            end = stpcpy(end, path);
        }
        *end = '\0';
        if (end == rest) {
            unsetenv("LD_PRELOAD");
        } else {
            setenv("LD_PRELOAD", rest, 1);
        }
    }
    std::free(words);
    std::free(rest);
}

}  // namespace waywiser::profile
