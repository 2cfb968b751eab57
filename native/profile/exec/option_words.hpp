/// The profiler's options as it receives them: NAME or NAME=VALUE, separated by commas.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace waywiser::profile {

/// Calls `use(name, value)` for each option; `value` starts after the "=" and ends before the next comma, or is empty.
template <class Use>
void each_option(const char* words, Use use) {
    while (*words != '\0') {
        const std::size_t length = std::strcspn(words, ",");
        const std::size_t name = std::strcspn(words, "=,");
        use(std::string_view(words, name), name < length ? words + name + 1 : words + length);
        words += length + (words[length] == ',' ? 1 : 0);
    }
}

}  // namespace waywiser::profile
