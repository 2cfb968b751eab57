/// Rows of tables by their names, and what is said where none has the name.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace waywiser {

/// "torus, mesh" of rows with these names, or of the names themselves.
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

/// The row of that name.
/// \throws InvalidInput  "there is no WHAT 'NAME'; there are: …"
template <class Rows>
[[nodiscard]] const auto& row_named(const Rows& rows, std::string_view name, const std::string& what) {
    const auto found = std::ranges::find_if(rows, [&](const auto& row) { return row.name == name; });
    if (found != std::end(rows)) return *found;
    throw InvalidInput("there is no " + what + " '" + std::string(name) + "'; there are: " + names_of(rows));
}

}  // namespace waywiser
