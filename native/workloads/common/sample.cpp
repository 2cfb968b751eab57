#include "workloads/common/sample.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"

#include <algorithm>

namespace waywiser {
namespace {

std::optional<double> number(const Shown& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return {};
}

/// Text padded to the width of a format.
std::string in_width(const Column& column, const std::string& words) {
    const std::string format = column.format;
    return text((format.substr(0, format.find_first_of(".efls")) + 's').c_str(), words);
}

}  // namespace

Metrics::Metrics(std::initializer_list<Metric> metrics) {
    for (const auto& [json, key, value] : metrics) {
        json_.add(json);
        shown_.emplace_back(key, value);
    }
}

const Shown* Metrics::find(std::string_view key) const {
    const auto entry = std::ranges::find(shown_, key, &std::pair<std::string, Shown>::first);
    return entry == shown_.end() ? nullptr : &entry->second;
}

Shown Metrics::shown(std::string_view key) const {
    if (const Shown* const value = find(key)) return *value;
    throw Error("a column shows '" + std::string(key) + "', which no sample has");
}

Shown Sample::shown(std::string_view key) const {
    if (key.ends_with("/s")) {
        const std::optional<double> amount = number(shown(key.substr(0, key.size() - 2)));
        return amount ? Shown(*amount / seconds) : Shown();
    }
    const Metrics own{{"variant", variant}, {"phase", phase},   {"seconds", seconds}, {"bytes", bytes},
                      {"flops", flops},     {"points", points}, {"error", error}};
    const Shown* const value = own.find(key);
    return value != nullptr ? *value : details.shown(key);
}

JsonObject to_json(const Sample& sample) {
    std::optional<bool> verified;
    if (sample.failure) verified = sample.failure->empty();
    return {{"workload", sample.workload},     {"variant", sample.variant}, {"phase", sample.phase},
            {"parameters", sample.parameters}, {"ranks", sample.ranks},     {"threads", sample.threads},
            {"seconds", sample.seconds},       {"bytes", sample.bytes},     {"flops", sample.flops},
            {"points", sample.points},         {"error", sample.error},     {"verified", verified},
            {"details", sample.details.json()}};
}

std::string printed(const Column& column, const Shown& value) {
    if (const auto* words = std::get_if<std::string>(&value)) return in_width(column, *words);
    const std::optional<double> amount = number(value);
    if (!amount) return in_width(column, "-");
    const bool is_whole = std::string_view(column.format).ends_with("d");
    return is_whole ? text(column.format, std::get<std::int64_t>(value)) : text(column.format, *amount * column.scale);
}

std::string heading(std::span<const Column> columns) {
    std::string line;
    for (const Column& column : columns) line += in_width(column, column.heading) + ' ';
    line.back() = '\n';
    return line;
}

std::string help(const Tables& tables) {
    std::string lines;
    for (const std::span<const Column> columns : tables.columns) {
        lines += lines.empty() ? "\ncolumns of the table:\n" : "\ncolumns of a further table:\n";
        std::size_t width = 12;
        for (const Column& column : columns) width = std::max(width, std::string_view(column.heading).size());
        for (const Column& column : columns) {
            lines += text("  %-*s  %s\n", static_cast<int>(width), column.heading, column.meaning);
        }
    }
    return lines;
}

}  // namespace waywiser
