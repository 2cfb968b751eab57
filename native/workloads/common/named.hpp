/// Entries of a table that a user chooses by name.
#pragma once

#include "base/error.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser {

/// Returns " (did you mean NAME?)" with the known names most similar to a word, or "" if no name is similar: a third of
/// the characters may differ.
/// \param most  number of names at most
/// \param before  text before each name
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> known, std::size_t most = 1,
                                     const std::string& before = "");

/// Text of the form "NAME, ANOTHER".
/// \param before  text before each name
[[nodiscard]] std::string list_of(std::span<const std::string> names, const std::string& before = "");

/// \throws InvalidInput  always, with the option, the known names and the nearest of them
[[noreturn]] void refuse(std::string_view option, std::string_view name, std::span<const std::string> known);

template <typename Entry>
std::vector<std::string> names_in(std::span<const Entry> table) {
    std::vector<std::string> names;
    for (const Entry& entry : table) names.emplace_back(entry.name);
    return names;
}

/// Text of the form "NAME, ANOTHER" with the names of all entries.
template <typename Entry>
std::string names_of(std::span<const Entry> table) {
    return list_of(names_in(table));
}

/// \param also  further values that the option accepts, which the error lists
/// \throws InvalidInput  with the option and the known names
template <typename Entry>
const Entry& find_named(std::span<const Entry> table, std::string_view option, std::string_view name,
                        std::span<const std::string> also = {}) {
    for (const Entry& entry : table) {
        if (entry.name == name) return entry;
    }
    std::vector<std::string> known = names_in(table);
    known.insert(known.end(), also.begin(), also.end());
    refuse(option, name, known);
}

/// Returns the entries that an option selects: one entry, or the whole table for "all".
/// \param also  further values that the option accepts, which the error lists
/// \throws InvalidInput  with the option and the known names
template <typename Entry>
std::vector<const Entry*> all_named(std::span<const Entry> table, std::string_view option, std::string_view name,
                                    const std::vector<std::string>& also = {"all"}) {
    if (name != "all") return {&find_named(table, option, name, also)};
    std::vector<const Entry*> all;
    for (const Entry& entry : table) all.push_back(&entry);
    return all;
}

}  // namespace waywiser
