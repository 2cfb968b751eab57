/// Names of an enumeration's values, as in the source code.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace waywiser {

/// The name of an enumerator: "send" for Action::send. GCC and Clang both write "kValue = …::send" into the signature.
template <auto kValue>
[[nodiscard]] consteval std::string_view enumerator() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("kValue = "));
    text = text.substr(0, text.find_first_of(";]"));
    return text.substr(text.rfind(':') + 1);
}

/// All values of an enumeration, from 0 to the value that `last_of` returns.
template <class Enumeration>
inline constexpr auto kEnumerators = []<std::size_t... kValues>(std::index_sequence<kValues...>) {
    return std::array{enumerator<static_cast<Enumeration>(kValues)>()...};
}(std::make_index_sequence<static_cast<std::size_t>(last_of(Enumeration{})) + 1>{});

template <class Enumeration>
    requires std::is_enum_v<Enumeration>
[[nodiscard]] constexpr std::string_view name_of(Enumeration value) {
    return kEnumerators<Enumeration>[static_cast<std::size_t>(value)];
}

}  // namespace waywiser
