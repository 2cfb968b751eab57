/// The lists of fields (trace/records/fields.hpp) as properties of Python's classes and as entries of documents.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>
#include <type_traits>

#include "trace/records/fields.hpp"

namespace waywiser::bind {

// The list is a template argument, as in trace/records/fields.hpp; names are literals, which end in a zero.
// NOLINTBEGIN(readability-redundant-parentheses,bugprone-suspicious-stringview-data-usage)

/// A property of the class for each field of its record.
template <const auto& kFields, class Record>
void bind_fields(nanobind::class_<Record>& to) {
    trace::for_each_field<kFields>([&](auto index) {
        constexpr const trace::Field& kField = kFields[index];
        using Value = std::conditional_t<kField.is_optional(), std::optional<std::uint64_t>, std::uint64_t>;
        to.def_prop_rw(
            kField.name.data(),
            [](const Record& record) {
                const std::optional<std::uint64_t>& value = record[decltype(index)::value];
                if constexpr (kField.is_optional()) {
                    return value;
                } else {
                    return *value;
                }
            },
            [](Record& record, Value value) { record[decltype(index)::value] = value; });
    });
}

/// The name in documents: "cpu_seconds" for "cpu_ns", "seconds" for "ns".
[[nodiscard]] inline std::string document_name(const trace::Field& field) {
    const std::string_view unit = field.document_unit().first;
    if (unit.empty()) return std::string(field.name);
    const std::string_view stem = field.name.substr(0, field.name.find_last_of('_') + 1);
    return std::string(stem).append(unit.substr(1));
}

/// Adds a field to a document; unknown values are None.
inline void add_field(const trace::Field& field, const std::optional<std::uint64_t>& value, nanobind::dict& document) {
    if (field.shown == trace::Shown::no) return;
    const auto [unit, per_unit] = field.document_unit();
    nanobind::object shown = nanobind::none();
    if (value && (*value != 0 || field.known != trace::Known::unless_zero)) {
        if (unit.empty()) {
            shown = nanobind::int_(*value);
        } else {
            // This rounds only once: 43445950 ns become 0.04344595 s.
            shown = nanobind::float_(static_cast<double>(*value) / per_unit);
        }
    }
    document[document_name(field).c_str()] = shown;
}

template <const auto& kFields>
void add_fields(const trace::Values<kFields>& values, nanobind::dict& document) {
    for (std::size_t i = 0; i < kFields.size(); ++i) add_field(kFields[i], values[i], document);
}

/// The description of each field, for models, tables and their pages: (name, type, whether it may be null, meaning).
template <class List>
[[nodiscard]] nanobind::tuple described(const List& fields) {
    nanobind::list out;
    for (const trace::Field& field : fields) {
        if (field.shown == trace::Shown::no) continue;
        const bool real = !field.document_unit().first.empty();
        out.append(nanobind::make_tuple(document_name(field), real ? "float" : "int",
                                        field.known != trace::Known::always, std::string(field.about)));
    }
    return nanobind::tuple(out);
}

// NOLINTEND(readability-redundant-parentheses,bugprone-suspicious-stringview-data-usage)

}  // namespace waywiser::bind
