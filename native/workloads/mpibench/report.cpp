#include "workloads/mpibench/report.hpp"

#include "workloads/common/sample.hpp"

#include <array>
#include <cstdio>
#include <optional>

namespace waywiser::mpibench {
namespace {

template <typename... Values>
std::string line(const char* format, Values... values) {
    std::array<char, 256> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, values...);
    return std::string(buffer.data()) + '\n';
}

double bandwidth_Bps(const Result& result) {
    return static_cast<double>(result.bytes_moved.value_or(0)) / result.seconds;
}

double messages_per_second(const Result& result) { return static_cast<double>(result.messages) / result.seconds; }

template <typename Value>
void add(JsonObject& object, std::string_view key, const std::optional<Value>& value) {
    if (value) {
        object.add(key, *value);
    } else {
        object.add_null(key);
    }
}

JsonObject parameters(const Benchmark& benchmark, const Result& result, const Call& call, const Settings& settings) {
    JsonObject object;
    object.add("bytes", result.bytes)
        .add("iterations", result.plan.iterations)
        .add("warmup", result.plan.warmup)
        .add("method", settings.method_name)
        .add("datatype", call.datatype.name);
    add(object, "operation", benchmark.reduces ? std::optional(call.operation.name) : std::nullopt);
    add(object, "root", benchmark.rooted ? std::optional(call.root) : std::nullopt);
    add(object, "window", benchmark.streams ? std::optional(call.window) : std::nullopt);
    add(object, "pairs", benchmark.group == Group::all ? std::nullopt : std::optional(settings.pairs));
    return object;
}

void add_distribution(JsonObject& object, const std::optional<Distribution>& ns) {
    using Statistic = double Distribution::*;
    constexpr std::array statistics{std::pair{"minimum_ns", &Distribution::minimum},
                                    std::pair{"median_ns", &Distribution::median},
                                    std::pair{"p90_ns", &Distribution::p90},
                                    std::pair{"p99_ns", &Distribution::p99},
                                    std::pair{"p999_ns", &Distribution::p999},
                                    std::pair{"maximum_ns", &Distribution::maximum},
                                    std::pair{"mean_ns", &Distribution::mean}};
    for (const auto& [key, statistic] : statistics) {
        const Statistic value = statistic;
        add(object, key, ns ? std::optional((*ns).*value) : std::nullopt);
    }
    const auto interval = ns ? ns->median_interval : std::nullopt;
    add(object, "median_low_ns", interval ? std::optional(interval->first) : std::nullopt);
    add(object, "median_high_ns", interval ? std::optional(interval->second) : std::nullopt);
}

JsonObject details(const Result& result, const Setting& setting) {
    JsonObject object;
    object.add("library", setting.library);
    add(object, "transport", setting.transport.empty() ? std::nullopt : std::optional(setting.transport));
    object.add("hosts", setting.hosts);
    add_distribution(object, result.ns);
    object.add("late", result.late);
    add(object, "bandwidth_Bps", result.bytes_moved ? std::optional(bandwidth_Bps(result)) : std::nullopt);
    add(object, "messages_per_second",
        result.messages > 0 ? std::optional(messages_per_second(result)) : std::nullopt);
    return object.add_null("overlap").add("timer_ns", setting.timer_ns).add("clock_error_ns", setting.clock_error_ns);
}

std::vector<JsonObject> histograms(const Result& result) {
    std::vector<JsonObject> objects;
    for (const RankHistogram& histogram : result.histograms) {
        objects.emplace_back()
            .add("rank", histogram.rank)
            .add("ns", histogram.lower_bounds_ns)
            .add("counts", histogram.counts);
    }
    return objects;
}

/// Microseconds with the digits that a clock of nanoseconds has.
std::string us(double ns) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%10.3f", 1e-3 * ns);
    return buffer.data();
}

}  // namespace

std::string run_heading(const Setting& setting, const Settings& settings) {
    if (settings.osu_format) return "";
    return line("ww-mpibench: %d rank(s) on %d host(s), method %s; a time stamp takes %.0f ns", setting.ranks,
                setting.hosts, settings.method_name.c_str(), setting.timer_ns) +
           setting.library + (setting.transport.empty() ? "" : ", transport " + setting.transport) + "\n";
}

std::string heading(const Benchmark& benchmark, const Settings& settings) {
    const std::string name(benchmark.name);
    if (settings.osu_format) {
        const std::string_view title = benchmark.osu_title.empty() ? benchmark.name : benchmark.osu_title;
        const char* column = benchmark.streams ? "Bandwidth (MB/s)" : "Avg Latency(us)";
        return line("\n# OSU MPI %.*s Test v7.4", static_cast<int>(title.size()), title.data()) +
               line("%-10s%*s", "# Size", 20, column);
    }
    return line("\n%s: %.*s; us", name.c_str(), static_cast<int>(benchmark.moves.size()), benchmark.moves.data()) +
           line("%10s %10s %10s %10s %22s %10s %10s %10s %8s%s", "bytes", "iterations", "minimum", "median",
                "95 % interval", "99 %", "99.9 %", "maximum", "late", benchmark.streams ? "       MB/s" : "");
}

std::string row(const Benchmark& benchmark, const Result& result, const Settings& settings) {
    const auto bytes = static_cast<long long>(result.bytes);
    if (settings.osu_format) {
        const double figure = benchmark.streams ? 1e-6 * bandwidth_Bps(result) : 1e6 * result.seconds;
        return line("%-10lld%*.2f", bytes, 20, figure);
    }
    const auto iterations = static_cast<long long>(result.plan.iterations);
    if (!result.ns) return line("%10lld %10lld   mean of the loop %s", bytes, iterations, us(1e9 * result.seconds).c_str());
    const Distribution& ns = *result.ns;
    const std::string interval =
        ns.median_interval ? us(ns.median_interval->first) + " -" + us(ns.median_interval->second) : "too few";
    std::string text = line("%10lld %10lld %s %s %22s %s %s %s %8lld", bytes, iterations, us(ns.minimum).c_str(),
                            us(ns.median).c_str(), interval.c_str(), us(ns.p99).c_str(), us(ns.p999).c_str(),
                            us(ns.maximum).c_str(), static_cast<long long>(result.late));
    text.pop_back();
    if (benchmark.streams) text += " " + line("%10.2f", 1e-6 * bandwidth_Bps(result));
    else text += "\n";
    return text;
}

JsonObject to_json(const Benchmark& benchmark, const Result& result, const Call& call, const Setting& setting,
                   const Settings& settings) {
    JsonObject object = waywiser::to_json({.workload = "mpibench",
                                           .variant = std::string(benchmark.name),
                                           .phase = "",
                                           .parameters = parameters(benchmark, result, call, settings),
                                           .ranks = setting.ranks,
                                           .threads = setting.threads,
                                           .seconds = result.seconds,
                                           .bytes = result.bytes_moved,
                                           .flops = {},
                                           .points = {},
                                           .error = {},
                                           .verified = result.verified,
                                           .details = details(result, setting)});
    const std::vector<JsonObject> by_rank = histograms(result);
    return object.add("histograms", by_rank);
}

}  // namespace waywiser::mpibench
