/// Entries of a table that a user chooses by name.
#pragma once

#include "base/error.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser {

/// Text of the form "NAME, ANOTHER" with the names of all entries.
template <typename Entry>
std::string names_of(std::span<const Entry> table) {
    std::string names;
    for (const Entry& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return names;
}

/// \throws InvalidInput  with the option and the known names
template <typename Entry>
const Entry& find_named(std::span<const Entry> table, std::string_view option, std::string_view name) {
    for (const Entry& entry : table) {
        if (entry.name == name) return entry;
    }
    throw InvalidInput("--" + std::string(option) + " '" + std::string(name) + "': expected one of " + names_of(table));
}

/// Returns the entries that an option selects: one entry, or the whole table for "all".
/// \throws InvalidInput  with the option and the known names
template <typename Entry>
std::vector<const Entry*> all_named(std::span<const Entry> table, std::string_view option, std::string_view name) {
    if (name != "all") return {&find_named(table, option, name)};
    std::vector<const Entry*> all;
    for (const Entry& entry : table) all.push_back(&entry);
    return all;
}

}  // namespace waywiser
