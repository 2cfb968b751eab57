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

void add_distribution(Metrics& object, const std::optional<Distribution>& ns) {
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

/// Microseconds with three digits, the resolution of a clock of nanoseconds.
std::string us(double ns) { return text("%10.3f", 1e-3 * ns); }

Metrics details(const Result& result, const Setting& setting) {
    Metrics object;
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
    std::string interval = "too few";
    if (result.ns && result.ns->median_interval) {
        const auto& [low, high] = *result.ns->median_interval;
        interval = us(low) + " - " + us(high);
    }
    return object.show("block_bytes", result.bytes)
        .show("iterations", result.plan.iterations)
        .show("median_interval", interval);
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

std::vector<Column> joined(std::initializer_list<std::span<const Column>> parts) {
    std::vector<Column> columns;
    for (const std::span<const Column> part : parts) columns.insert(columns.end(), part.begin(), part.end());
    return columns;
}

/// \param timed  iterations were timed, not a loop of them
std::vector<Column> columns_of(const Benchmark& benchmark, bool timed, bool carried) {
    using Part = std::span<const Column>;
    return joined({count_columns, timed ? Part(time_columns) : Part(loop_columns),
                   benchmark.directions > 0 ? Part(rate_columns) : Part(),
                   benchmark.overlaps ? Part(overlap_columns) : Part(), benchmark.columns,
                   carried ? Part(carrier_columns) : Part()});
}

std::optional<std::string> failure(const Result& result) {
    if (!result.verified) return {};
    return *result.verified ? "" : "wrong data";
}

Sample sample(const Benchmark& benchmark, const Result& result, const Call& call, const Setting& setting,
              const Settings& settings) {
    return {.workload = "mpibench",
            .variant = std::string(benchmark.name),
            .phase = "",
            .parameters = parameters(benchmark, result, call, settings),
            .ranks = setting.ranks,
            .threads = setting.threads,
            .seconds = result.seconds,
            .bytes = result.bytes_moved,
            .failure = failure(result),
            .details = details(result, setting)};
}

}  // namespace

std::vector<Column> all_columns() {
    std::vector<Column> columns = joined({count_columns, time_columns, rate_columns, overlap_columns});
    for (const Benchmark& benchmark : benchmarks()) {
        columns.insert(columns.end(), benchmark.columns.begin(), benchmark.columns.end());
    }
    columns.insert(columns.end(), std::begin(carrier_columns), std::end(carrier_columns));
    return columns;
}

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
           waywiser::heading(columns_of(benchmark, true, benchmark.run != nullptr && benchmark.messages));
}

std::string row(const Benchmark& benchmark, const Result& result, const Call& call, const Setting& setting,
                const Settings& settings) {
    if (settings.osu_format) return osu_row(benchmark, result, call, settings);
    const std::vector<Column> columns = columns_of(benchmark, result.ns.has_value(), !result.carriers.empty());
    return waywiser::row(columns, sample(benchmark, result, call, setting, settings)) + '\n';
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
    const std::vector<JsonObject> by_rank = histograms(result);
    return waywiser::to_json(sample(benchmark, result, call, setting, settings)).add("histograms", by_rank);
}

}  // namespace waywiser::mpibench
