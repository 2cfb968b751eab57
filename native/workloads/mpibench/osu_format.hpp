/// Output in the format of OSU's programs, version 7.4, for scripts that read it.
#pragma once

#include "workloads/mpibench/result.hpp"

#include <string>
#include <vector>

namespace waywiser::mpibench {

[[nodiscard]] std::string osu_heading(const Benchmark& benchmark, const Call& call, const Settings& settings);

/// The row of one size.
[[nodiscard]] std::string osu_row(const Benchmark& benchmark, const Result& result, const Call& call,
                                  const Settings& settings);

/// A comment line on the transports for the sizes of a benchmark, which OSU's programs do not print.
[[nodiscard]] std::string osu_footing(const std::string& transport, const std::vector<Carried>& carried);

}  // namespace waywiser::mpibench
