/// The forms of OSU's programs, version 7.4, for the scripts that read them.
#pragma once

#include "workloads/mpibench/result.hpp"

#include <string>

namespace waywiser::mpibench {

[[nodiscard]] std::string osu_heading(const Benchmark& benchmark, const Call& call, const Settings& settings);

/// One size.
[[nodiscard]] std::string osu_row(const Benchmark& benchmark, const Result& result, const Call& call,
                                  const Settings& settings);

}  // namespace waywiser::mpibench
