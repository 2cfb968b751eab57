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

[[nodiscard]] std::string run_heading(const Setting& setting, const Settings& settings);
[[nodiscard]] std::string heading(const Benchmark& benchmark, const Call& call, const Settings& settings);
[[nodiscard]] std::string row(const Benchmark& benchmark, const Result& result, const Call& call,
                              const Settings& settings);

/// Text below the row; may be empty.
[[nodiscard]] std::string remark(const Benchmark& benchmark, const Result& result, const Settings& settings);

/// Lines after the rows of a benchmark; `carried` has an entry for each row.
[[nodiscard]] std::string footing(const Setting& setting, const std::vector<Carried>& carried,
                                  const Settings& settings);
[[nodiscard]] JsonObject to_json(const Benchmark& benchmark, const Result& result, const Call& call,
                                 const Setting& setting, const Settings& settings);

}  // namespace waywiser::mpibench
