/// Entries of a table that a user chooses by name.
#pragma once

#include "base/error.hpp"

#include <span>
#include <string>
#include <string_view>

namespace waywiser {

/// \throws InvalidInput  naming the option and the names there are
template <typename Entry>
const Entry& find_named(std::span<const Entry> table, std::string_view option, std::string_view name) {
    std::string known;
    for (const Entry& entry : table) {
        if (entry.name == name) return entry;
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw InvalidInput("--" + std::string(option) + " does not take '" + std::string(name) + "' but one of: " + known);
}

}  // namespace waywiser
