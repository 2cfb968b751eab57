/// Lines as printf makes them, and numbers on three axes.
#pragma once

#include <array>
#include <cstdint>
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

/// "4 x 2 x 1"
[[nodiscard]] inline std::string product_text(const std::array<std::int64_t, 3>& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

}  // namespace waywiser
