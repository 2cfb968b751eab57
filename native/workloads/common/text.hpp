/// Lines as printf makes them.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace waywiser {

/// At most 255 characters.
template <typename... Values>
std::string text(const char* format, Values... values) {
    std::array<char, 256> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, values...);
    return buffer.data();
}

}  // namespace waywiser
