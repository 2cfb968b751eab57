/// Lists of words, written as one text.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace waywiser {

/// The `kNumber` words of a text, between separators; does not compile with another number.
template <std::size_t kNumber>
[[nodiscard]] consteval std::array<std::string_view, kNumber> words(std::string_view text, char separator = ' ') {
    std::array<std::string_view, kNumber> all;
    for (std::string_view& word : all) {
        word = text.substr(0, text.find(separator));
        if (word.empty()) throw "there are fewer words";
        text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    }
    if (!text.empty()) throw "there are more words";
    return all;
}

}  // namespace waywiser
