#include "workloads/mpibench/report.hpp"

#include "workloads/common/sample.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/version.hpp"
#include "workloads/mpibench/layout.hpp"
#include "workloads/mpibench/osu_format.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace waywiser::mpibench {
namespace {

JsonObject parameters(const Benchmark& benchmark, const Result& result, const Call& call, const Settings& settings) {
    JsonObject object{{"bytes", result.bytes},
                      {"iterations", result.plan.iterations},
                      {"warmup", result.plan.warmup},
                      {"method", settings.method_name},
                      {"datatype", call.element.name}};
    object.add("layout", settings.layout.empty() ? std::nullopt : std::optional(settings.layout));
    object.add("payload_bytes", settings.layout.empty() ? std::nullopt : std::optional(payload_bytes(call)));
    object.add("operation", benchmark.reduces ? std::optional(call.operation.name) : std::nullopt);
    object.add("root", benchmark.rooted ? std::optional(call.root) : std::nullopt);
    object.add("window", benchmark.directions > 0 ? std::optional(call.window) : std::nullopt);
    object.add("synchronisation", benchmark.settle != nullptr ? std::optional(settings.synchronisation) : std::nullopt);
    object.add("tests", benchmark.overlaps ? std::optional(call.tests) : std::nullopt);
    object.add("partitions", benchmark.partitioned ? std::optional(call.partitions) : std::nullopt);
    object.add("counters", benchmark.holds != nullptr ? std::optional(settings.counters) : std::nullopt);
    object.add("tasks", benchmark.schedules ? std::optional(settings.tasks) : std::nullopt);
    object.add("task_us", benchmark.schedules ? std::optional(settings.task_us) : std::nullopt);
    object.add("seed", benchmark.schedules ? std::optional(settings.seed) : std::nullopt);
    object.add("pairs", benchmark.group == Group::all ? std::nullopt : std::optional(settings.pairs));
    return object;
}

void add_distribution(JsonObject& object, const std::optional<Distribution>& ns) {
    using Statistic = double Distribution::*;
    constexpr std::array statistics{
        std::pair{"minimum_ns", &Distribution::minimum}, std::pair{"median_ns", &Distribution::median},
        std::pair{"p90_ns", &Distribution::p90},         std::pair{"p99_ns", &Distribution::p99},
        std::pair{"p999_ns", &Distribution::p999},       std::pair{"maximum_ns", &Distribution::maximum},
        std::pair{"mean_ns", &Distribution::mean}};
    for (const auto& [key, statistic] : statistics) {
        const Statistic value = statistic;
        object.add(key, ns ? std::optional((*ns).*value) : std::nullopt);
    }
    const auto interval = ns ? ns->median_interval : std::nullopt;
    object.add("median_low_ns", interval ? std::optional(interval->first) : std::nullopt);
    object.add("median_high_ns", interval ? std::optional(interval->second) : std::nullopt);
}

JsonObject details(const Result& result, const Setting& setting) {
    JsonObject object;
    object.add("library", setting.library);
    object.add("transport", setting.transport.empty() ? std::nullopt : std::optional(setting.transport));
    const bool carried = !result.carriers.empty();
    object.add("carriers", carried ? std::optional(result.carriers) : std::nullopt);
    const std::int64_t tcp_bytes = result.traffic.tcp_inside_bytes + result.traffic.tcp_between_bytes;
    object.add("tcp_bytes", carried ? std::optional(tcp_bytes) : std::nullopt);
    object.add("single_copy_bytes", carried ? std::optional(result.traffic.single_copy_bytes) : std::nullopt);
    object.add("hosts", setting.hosts);
    add_distribution(object, result.ns);
    object.add("late", result.late);
    object.add("bandwidth_Bps", result.bytes_moved ? std::optional(bandwidth_Bps(result)) : std::nullopt);
    object.add("messages_per_second", result.messages > 0 ? std::optional(messages_per_second(result)) : std::nullopt);
    for (const Metric& metric : result.metrics) object.add(metric.name, metric.value);
    const std::optional<Overlap>& overlap = result.overlap;
    object.add("overlap", overlap ? std::optional(overlap->share) : std::nullopt);
    object.add("alone_ns", overlap ? std::optional(1e9 * overlap->alone_seconds) : std::nullopt);
    object.add("overall_ns", overlap ? std::optional(1e9 * overlap->all_seconds) : std::nullopt);
    object.add("compute_ns", overlap ? std::optional(1e9 * overlap->work_seconds) : std::nullopt);
    object.add("timer_ns", setting.timer_ns).add("clock_error_ns", setting.clock_error_ns);
    object.add("clock_spread_ns", setting.clock_spread_ns);
    return object;
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

/// Microseconds with three digits, the resolution of a clock of nanoseconds.
std::string us(double ns) { return text("%10.3f", 1e-3 * ns); }

std::string titles(std::span<const Column> columns) {
    std::string titles;
    for (const Column& column : columns) titles += text(" %12s", column.title);
    return titles;
}

std::string values(std::span<const Column> columns, std::span<const Metric> metrics) {
    std::string values;
    for (const Column& column : columns) {
        const double value = std::ranges::find(metrics, column.metric, &Metric::name)->value;
        values += text(" %12.*f", column.digits, column.scale * value);
    }
    return values;
}

std::optional<std::string> failure(const Result& result) {
    if (!result.verified) return {};
    return *result.verified ? "" : "wrong data";
}

std::string distribution(const Distribution& ns, std::int64_t late) {
    const auto interval = ns.median_interval;
    const std::string between = interval ? us(interval->first) + " - " + us(interval->second) : "too few";
    return text("%s %s %23s %s %s %s %8lld", us(ns.minimum), us(ns.median), between, us(ns.p99), us(ns.p999),
                us(ns.maximum), late);
}

}  // namespace

std::string run_heading(const Setting& setting, const Settings& settings) {
    if (settings.osu_format) return "";
    return report_title("ww-mpibench") +
           text("%d rank(s) on %d host(s), method %s; a time stamp takes %.0f ns\n", setting.ranks, setting.hosts,
                settings.method_name, setting.timer_ns) +
           setting.library + (setting.transport.empty() ? "" : ", transport " + setting.transport) + "\n";
}

std::string heading(const Benchmark& benchmark, const Call& call, const Settings& settings) {
    if (settings.osu_format) return osu_heading(benchmark, call, settings);
    return text("\n%.*s: %.*s; times in us\n", static_cast<int>(benchmark.name.size()), benchmark.name.data(),
                static_cast<int>(benchmark.moves.size()), benchmark.moves.data()) +
           text("%10s %10s %10s %10s %23s %10s %10s %10s %8s%s", "bytes", "iterations", "minimum", "median",
                "95 % interval", "99 %", "99.9 %", "maximum", "late",
                benchmark.directions > 0 ? "       MB/s   messages/s"
                : benchmark.overlaps     ? "  overlap %"
                                         : "") +
           titles(benchmark.columns) + (benchmark.run != nullptr && benchmark.messages ? "  carried by" : "") + "\n";
}

std::string row(const Benchmark& benchmark, const Result& result, const Call& call, const Settings& settings) {
    if (settings.osu_format) return osu_row(benchmark, result, call, settings);
    std::string row = text("%10lld %10lld ", result.bytes, result.plan.iterations);
    row += result.ns ? distribution(*result.ns, result.late) : "  mean of the loop " + us(1e9 * result.seconds);
    if (benchmark.directions > 0)
        row += text(" %10.2f %12.0f", 1e-6 * bandwidth_Bps(result), messages_per_second(result));
    if (result.overlap) row += text(" %10.1f", 100 * result.overlap->share);
    row += values(benchmark.columns, result.metrics);
    if (!result.carriers.empty()) row += "  " + result.carriers;
    return row + '\n';
}

std::string remark(const Benchmark& benchmark, const Result& result, const Settings& settings) {
    if (benchmark.remark == nullptr || settings.osu_format) return "";
    return benchmark.remark(result.metrics, result.plan.iterations);
}

std::string footing(const Setting& setting, const std::vector<Carried>& carried, const Settings& settings) {
    return settings.osu_format ? osu_footing(setting.transport, carried) : "";
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
                                           .failure = failure(result),
                                           .details = details(result, setting)});
    const std::vector<JsonObject> by_rank = histograms(result);
    return object.add("histograms", by_rank);
}

}  // namespace waywiser::mpibench
