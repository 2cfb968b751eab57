/// Time of a run by sections: a struct of seconds, and a table of its members.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/common/text.hpp"

#include <string>

namespace waywiser {

template <class Sections>
struct Section {
    const char* key;
    const char* words;
    double Sections::* seconds;
};

/// The maximum of each section over all ranks. Collective.
template <class Sections, class Table>
[[nodiscard]] Sections slowest(const Sections& sections, const Table& table, const Ranks& ranks) {
    Sections result;
    for (const auto& [key, words, seconds] : table) result.*seconds = slowest_s(sections.*seconds, ranks);
    return result;
}

/// Returns an object with `KEY_s` for each section.
template <class Sections, class Table>
[[nodiscard]] JsonObject to_json(const Sections& sections, const Table& table) {
    JsonObject object;
    for (const auto& [key, words, seconds] : table) object.add(text("%s_s", key), sections.*seconds);
    return object;
}

/// Adds a remark with the share of each section.
template <class Sections, class Table>
[[nodiscard]] std::string shares(const Sections& sections, const Table& table) {
    double all = 0;
    for (const auto& [key, words, seconds] : table) all += sections.*seconds;
    std::string lines;
    for (const auto& [key, words, seconds] : table) {
        lines += text("%s%s %.1f %%", lines.empty() ? "NOTE " : ", ", words, 100 * (sections.*seconds) / all);
    }
    return lines + '\n';
}

}  // namespace waywiser
