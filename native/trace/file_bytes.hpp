/// A whole file in memory.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace waywiser::trace {

/// \return what can be read; nothing of a folder
[[nodiscard]] inline std::string bytes_of(std::ifstream& file) {
    std::ostringstream bytes;
    bytes << file.rdbuf();  // an iterator would throw what is no Error where the system refuses to read
    return std::move(bytes).str();
}

}  // namespace waywiser::trace
