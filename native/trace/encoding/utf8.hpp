/// Converts text from outside (host names, library versions, damaged files) to valid UTF-8, on which readers of a
/// profile rely.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waywiser::trace {

/// Length [bytes] of the well-formed sequence at the start of `text`; 0 if there is none. Source: The Unicode Standard
/// 15, table 3-7.
[[nodiscard]] constexpr std::size_t utf8_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto within = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return within(1, 0x80, 0xBF) ? 2 : 0;
    if ((first & 0xF0U) == 0xE0) {
        const bool second = within(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
        return second && within(2, 0x80, 0xBF) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool second = within(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
        return second && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
    }
    return 0;
}

/// The text with every byte that is in no well-formed sequence replaced by '?'.
[[nodiscard]] inline std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t n = utf8_sequence(text);
        valid.append(n == 0 ? "?" : text.substr(0, n));
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return valid;
}

}  // namespace waywiser::trace
