#include "workloads/common/cache.hpp"

#include <cstdlib>

namespace waywiser {

std::string cache_directory() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache != '\0') return std::string(cache) + "/waywiser";
    if (home != nullptr && *home != '\0') return std::string(home) + "/.cache/waywiser";
    return "";
}

}  // namespace waywiser
