/// Table rows by name, and the error message for an unknown name.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace waywiser {

/// Text of names, such as "torus, mesh", from rows or from the names themselves.
template <class Rows>
[[nodiscard]] std::string names_of(const Rows& rows) {
    std::string all;
    for (const auto& row : rows) {
        all += all.empty() ? "" : ", ";
        if constexpr (requires { row.name; }) {
            all += row.name;
        } else {
            all += row;
        }
    }
    return all;
}

/// The row with a name.
template <class Rows>
[[nodiscard]] const auto& row_named(const Rows& rows, std::string_view name, const std::string& kind) {
    const auto match = std::ranges::find_if(rows, [&](const auto& row) { return row.name == name; });
    if (match != std::end(rows)) return *match;
    throw InvalidInput("there is no " + kind + " '" + std::string(name) + "'; there are: " + names_of(rows));
}

}  // namespace waywiser
