/// Entries of a table that a user chooses by name.
#pragma once

#include "base/error.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser {

/// "NAME, ANOTHER": of all entries.
template <typename Entry>
std::string names_of(std::span<const Entry> table) {
    std::string names;
    for (const Entry& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return names;
}

/// \throws InvalidInput  naming the option and the names there are
template <typename Entry>
const Entry& find_named(std::span<const Entry> table, std::string_view option, std::string_view name) {
    for (const Entry& entry : table) {
        if (entry.name == name) return entry;
    }
    throw InvalidInput("--" + std::string(option) + " does not take '" + std::string(name) +
                       "' but one of: " + names_of(table));
}

/// Entries that an option names: one, or all of a table.
/// \throws InvalidInput  naming the option and the names there are
template <typename Entry>
std::vector<const Entry*> all_named(std::span<const Entry> table, std::string_view option, std::string_view name) {
    if (name != "all") return {&find_named(table, option, name)};
    std::vector<const Entry*> all;
    for (const Entry& entry : table) all.push_back(&entry);
    return all;
}

}  // namespace waywiser
