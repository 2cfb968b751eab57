/// Results as tables and as JSON lines.
#pragma once

#include "base/json_lines.hpp"
#include "workloads/mpibench/result.hpp"
#include "workloads/mpibench/settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace waywiser::mpibench {

/// Data that all results of a run share.
struct Setting {
    std::string library;
    std::string transport;  ///< empty if the library does not report it
    int ranks = 1;
    int threads = 1;
    int hosts = 1;
    double timer_ns = 0;                                   ///< cost of a time stamp
    double clock_error_ns = 0;                             ///< bound of the error of the global clock
    std::optional<double> clock_spread_ns = std::nullopt;  ///< true error of the global clock, if it can be measured
};

// Columns of a benchmark's table, as far as they apply; the benchmark's own follow.
inline constexpr Column count_columns[] = {
    {"bytes", "%10lld", "block_bytes", "size of a block"},
    {"iterations", "%10lld", "iterations", "measured iterations"},
};
inline constexpr Column time_columns[] = {
    {"minimum", "%10.3f", "minimum_ns", "least time of an iteration [us]", 1e-3},
    {"median", "%10.3f", "median_ns", "median time [us]", 1e-3},
    {"95 % interval", "%23s", "median_interval", "times between which the median lies with 95 % confidence [us]"},
    {"99 %", "%10.3f", "p99_ns", "time that 99 % of the iterations do not exceed [us]", 1e-3},
    {"99.9 %", "%10.3f", "p999_ns", "time that 99.9 % of the iterations do not exceed [us]", 1e-3},
    {"maximum", "%10.3f", "maximum_ns", "longest time [us]", 1e-3},
    {"late", "%8lld", "late", "iterations that some rank began after the common start"},
};
/// Columns in place of the times where a loop was measured.
inline constexpr Column loop_columns[] = {{"", "  mean of the loop %10.3f", "seconds", "", 1e6}};
inline constexpr Column rate_columns[] = {
    {"MB/s", "%10.2f", "bandwidth_Bps", "bytes a second, of a window of messages", 1e-6},
    {"messages/s", "%12.0f", "messages_per_second", "messages a second, of a window of messages"},
};
inline constexpr Column overlap_columns[] = {
    {"overlap %", "%10.1f", "overlap", "share of a nonblocking call's time that work hides", 100},
};
inline constexpr Column carrier_columns[] = {{"carried by", " %s", "carriers", "transports of the data"}};

/// The columns of all benchmarks' tables.
[[nodiscard]] std::vector<Column> all_columns();

[[nodiscard]] std::string run_heading(const Setting& setting, const Settings& settings);
[[nodiscard]] std::string heading(const Benchmark& benchmark, const Call& call, const Settings& settings);
[[nodiscard]] std::string row(const Benchmark& benchmark, const Result& result, const Call& call,
                              const Setting& setting, const Settings& settings);

/// Text below the row; may be empty.
[[nodiscard]] std::string remark(const Benchmark& benchmark, const Result& result, const Settings& settings);

/// Lines after the rows of a benchmark; `carried` has an entry for each row.
[[nodiscard]] std::string footing(const Setting& setting, const std::vector<Carried>& carried,
                                  const Settings& settings);
[[nodiscard]] JsonObject to_json(const Benchmark& benchmark, const Result& result, const Call& call,
                                 const Setting& setting, const Settings& settings);

}  // namespace waywiser::mpibench
