/// The directory in which programs keep results that would otherwise be determined again in every run.
#pragma once

#include <string>

namespace waywiser {

/// Waywiser's part of the user's cache directory ($XDG_CACHE_HOME, or .cache in $HOME); empty without such a directory.
[[nodiscard]] std::string cache_directory();

}  // namespace waywiser
