/// The benchmarks: one table, from which options, help, measurement, validation and reports are made.
#pragma once

#include "workloads/mpibench/call.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace waywiser::mpibench {

/// Who takes part: ranks of one pair, of all pairs, or all ranks.
enum class Group { pair, pairs, all };

/// How many blocks a buffer holds.
enum class Blocks { none, one, each_rank };

/// What a received block must hold: block `block` of the ranks first..last, combined by the operation.
/// Nothing is expected where first > last.
struct Expected {
    int first = 0;
    int last = -1;
    int block = 0;
};

struct Benchmark {
    std::string_view name;       ///< as on the command line
    std::string_view osu_title;  ///< as OSU's program of the same kind calls itself; empty where there is none
    std::string_view moves;      ///< what one iteration does, for help
    Group group;
    Blocks sends;
    Blocks receives;
    void (*run)(Call&);
    Expected (*expects)(const Call&, int block) = nullptr;
    bool reduces = false;             ///< takes --operation
    bool rooted = false;              ///< takes --root
    bool streams = false;             ///< takes --window
    double share = 1;                 ///< of an iteration that is reported: half of a ping-pong is one way
    std::int64_t blocks_counted = 0;  ///< blocks a pair moves in an iteration, per message under way; 0: no bandwidth
};

[[nodiscard]] std::span<const Benchmark> benchmarks();

/// \throws InvalidInput  naming those there are
[[nodiscard]] const Benchmark& find_benchmark(std::string_view name);

/// One line a benchmark: its name and what it moves.
[[nodiscard]] std::string list_text();

// Each is one iteration.
void latency(Call& call);
void barrier(Call& call);
void bcast(Call& call);
void allreduce(Call& call);

}  // namespace waywiser::mpibench
