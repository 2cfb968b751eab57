/// The sample that every workload writes, and the columns of a table that shows samples. A sample is one JSON object
/// per measured phase, with the same keys in all workloads.
#pragma once

#include "base/json_lines.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace waywiser {

/// The value of a column: nothing, a number or text.
using Shown = std::variant<std::monostate, std::int64_t, double, std::string>;

template <class Value>
Shown shown_of(const Value& value) {
    if constexpr (std::integral<Value>) {
        return static_cast<std::int64_t>(value);
    } else if constexpr (std::floating_point<Value>) {
        return value;
    } else if constexpr (std::convertible_to<Value, std::string_view>) {
        return std::string(std::string_view(value));
    } else {
        return {};
    }
}
template <class Value>
Shown shown_of(const std::optional<Value>& value) {
    return value ? shown_of(*value) : Shown();
}

/// A JSON object whose numbers and texts can be shown in columns.
class Metrics {
public:
    struct Metric {
        template <class Value>
        Metric(std::string_view name, const Value& value) : json(name, value), key(name), shown(shown_of(value)) {}

        JsonObject::Member json;
        std::string key;
        Shown shown;
    };

    Metrics() = default;
    Metrics(std::initializer_list<Metric> metrics);
    Metrics(JsonObject json) : json_(std::move(json)) {}  // Columns do not show members of this object.

    template <class Value>
    Metrics& add(std::string_view key, const Value& value) {
        json_.add(key, value);
        return show(key, value);
    }
    /// Adds a metric that only columns show.
    template <class Value>
    Metrics& show(std::string_view key, const Value& value) {
        shown_.emplace_back(key, shown_of(value));
        return *this;
    }

    [[nodiscard]] const JsonObject& json() const { return json_; }
    /// The value of a key; null if the key is missing.
    [[nodiscard]] const Shown* find(std::string_view key) const;
    /// \throws Error  if the key is missing
    [[nodiscard]] Shown shown(std::string_view key) const;

private:
    JsonObject json_;
    std::vector<std::pair<std::string, Shown>> shown_;
};

/// `bytes` and `flops` follow from formulas that the workload states; they are not measured. All are sums over the
/// ranks, and `seconds` is the time of the slowest rank. Values that a workload does not have are null.
struct Sample {
    std::string workload = {};
    std::string variant;
    std::string phase;
    JsonObject parameters;
    int ranks = 1;
    int threads = 1;
    double seconds = 0;
    std::optional<std::int64_t> bytes = {};
    std::optional<std::int64_t> flops = {};
    std::optional<std::int64_t> points = {};
    /// largest error relative to the analytic solution; none without such a solution
    std::optional<double> error = {};
    std::optional<std::string> failure = {};  ///< reason why it is not verified, or empty; none if not checked
    Metrics details = {};                     ///< data specific to this phase

    [[nodiscard]] bool is_wrong() const { return failure && !failure->empty(); }
    /// Returns the value of a key of the sample or of its details; for "KEY/s", the value per second.
    /// \throws Error  if the key is missing
    [[nodiscard]] Shown shown(std::string_view key) const;
};

[[nodiscard]] JsonObject to_json(const Sample& sample);

/// A column of a table that a program prints.
struct Column {
    const char* heading;  ///< heading with the unit
    const char* format;   ///< format with the width
    const char* key;      ///< key of a sample or of metrics
    const char* meaning;
    double scale = 1;
};

/// A value in its column.
[[nodiscard]] std::string printed(const Column& column, const Shown& value);

// The following columns are used by several programs.
inline constexpr Column median_s{"median s", "%11.6f", "seconds", "seconds of the slowest rank, median of the tries"};
inline constexpr Column min_s{"min s", "%11.6f", "least_s", "the fastest try"};
inline constexpr Column max_s{"max s", "%11.6f", "greatest_s", "the slowest try"};
inline constexpr Column of_roofline{"of roof", "%9.2f", "of_roof",
                                    "share of what the machine's bandwidth and flops allow"};

/// The tables that a program prints.
struct Tables {
    template <std::convertible_to<std::span<const Column>>... Columns>
    Tables(const Columns&... tables) : columns{tables...} {}

    std::vector<std::span<const Column>> columns;
};

[[nodiscard]] std::string heading(std::span<const Column> columns);
/// \param Record  a Sample, or Metrics
template <class Record>
[[nodiscard]] std::string row(std::span<const Column> columns, const Record& record) {
    std::string line;
    for (const Column& column : columns) line += printed(column, record.shown(column.key)) + ' ';
    line.pop_back();
    return line;
}
/// A heading, and a row of each record.
template <class Record>
[[nodiscard]] std::string table(std::span<const Column> columns, const std::vector<Record>& records) {
    std::string lines = heading(columns);
    for (const Record& record : records) lines += row(columns, record) + '\n';
    return lines;
}
/// The description of all columns for --help.
[[nodiscard]] std::string help(const Tables& tables);

}  // namespace waywiser
