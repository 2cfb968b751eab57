/// Settings of ww-mpibench.
#pragma once

#include "workloads/common/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace waywiser::mpibench {

/// Start of iterations, and statistic that summarises their times. With `osu` and `imb`, both are as in OSU's and IMB's
/// programs.
enum class Method { window, barrier, osu, imb };

[[nodiscard]] constexpr bool peers_estimator(Method method) { return method == Method::osu || method == Method::imb; }

struct Settings {
    std::string benchmark_names = "latency";
    std::vector<std::string> benchmarks;
    std::string size_text = "1:1048576";
    std::vector<std::int64_t> sizes;  ///< bytes of a block, rising
    std::int64_t iterations = 0;      ///< 0: the benchmark's default
    std::int64_t warmup = -1;         ///< -1: a tenth of the iterations
    std::int64_t seconds = 10;        ///< longest duration of a size [s]
    Method method = Method::window;
    std::string method_name = "window";
    std::string datatype = "char";
    std::string operation = "sum";
    std::string pairs = "half";
    std::int64_t root = 0;
    std::int64_t window = 64;
    std::string layout;  ///< layout of derived datatypes; empty: none
    std::string synchronisation = "flush";
    std::int64_t tests = 0;
    std::int64_t partitions = 8;
    std::string counters = "one";
    std::int64_t tasks = 32;
    std::int64_t task_us = 100;
    std::int64_t seed = 1;
    std::int64_t memory_limit_mb = 512;
    bool check = false;
    bool separate_clocks = false;
    bool osu_format = false;
    std::string json;
    bool list = false;
};

[[nodiscard]] Options options_of(Settings& settings);

/// Reads lists and names from their texts.
/// \throws InvalidInput  if a text is not valid
void complete(Settings& settings);

}  // namespace waywiser::mpibench
