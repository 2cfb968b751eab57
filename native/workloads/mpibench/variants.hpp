/// Benchmarks that move the data of a blocking benchmark by other calls.
#pragma once

#include "workloads/mpibench/benchmarks.hpp"

#include <span>
#include <string_view>

namespace waywiser::mpibench {

struct Variant {
    std::string_view name;
    std::string_view osu_title;  ///< as in Benchmark
    std::string_view blocking;   ///< the benchmark that moves the same data
    void (*run)(Call&);
    void (*make)(Call&) = nullptr;     ///< as in Benchmark
    void (*release)(Call&) = nullptr;  ///< as in Benchmark; null: `release` of the blocking benchmark
    bool partitioned = false;          ///< as in Benchmark
};

[[nodiscard]] std::span<const Variant> nonblocking_variants();

/// Empty for a library without persistent collectives, which MPI has since version 4.
[[nodiscard]] std::span<const Variant> persistent_variants();

/// Partitioned messages, which are also in MPI since version 4.
[[nodiscard]] std::span<const Variant> partitioned_variants();

}  // namespace waywiser::mpibench
