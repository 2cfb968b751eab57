/// Text formatted by printf's rules, and texts of numbers on three axes.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace waywiser {

/// A value that remains valid; strings are zero-terminated.
template <class Value>
const Value& lasting(const Value& value) {
    return value;
}
inline std::string lasting(std::string_view value) { return std::string(value); }

/// Converts a value to the type that printf takes.
template <class Value>
auto printed(const Value& value) {
    if constexpr (std::is_same_v<Value, std::string>) {
        return value.c_str();
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
        return static_cast<long long>(value);
    } else {
        return value;
    }
}

/// Formats at most 255 characters. Strings are %s, and whole numbers of 64 bits are %lld.
template <class... Values>
std::string text(const char* format, const Values&... values) {
    std::array<char, 256> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, printed(lasting(values))...);
    return buffer.data();
}

/// Returns the text with lines broken at blanks to at most 80 characters. Continuation lines are indented.
[[nodiscard]] inline std::string wrapped(std::string text, std::size_t indent) {
    constexpr std::size_t most = 80;
    for (std::size_t start = 0; text.size() - start > most;) {
        const std::size_t end = text.find('\n', start);
        const std::size_t blank = text.rfind(' ', start + most);
        if (end <= start + most) {
            start = end + 1;
        } else if (blank == std::string::npos || blank <= start + indent) {
            break;
        } else {
            text.replace(blank, 1, '\n' + std::string(indent, ' '));
            start = blank + 1;
        }
    }
    return text;
}

/// Returns whole numbers with a separator between them.
template <class Numbers>
[[nodiscard]] std::string joined(const Numbers& numbers, const std::string& between) {
    std::string line;
    for (const std::int64_t number : numbers) line += (line.empty() ? "" : between) + std::to_string(number);
    return line;
}

/// Text of the form "4 x 2 x 1".
[[nodiscard]] inline std::string product_text(const std::array<std::int64_t, 3>& n) { return joined(n, " x "); }

}  // namespace waywiser
