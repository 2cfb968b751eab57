/// Builds lines of text from words and numbers.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace waywiser::exchange {

inline void append_part(std::string& line, std::string_view text) { line += text; }

inline void append_part(std::string& line, std::integral auto number, int base = 10) {
    std::array<char, 24> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    line.append(digits.data(), end);
}

inline void append_part(std::string& line, char c) { line += c; }

template <class... Parts>
void append(std::string& line, const Parts&... parts) {
    (append_part(line, parts), ...);
}

template <class... Parts>
[[nodiscard]] std::string joined(const Parts&... parts) {
    std::string line;
    append(line, parts...);
    return line;
}

}  // namespace waywiser::exchange
