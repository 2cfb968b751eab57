/// The benchmarks: one table, from which options, help, measurement, validation and reports are made.
#pragma once

#include "workloads/mpibench/call.hpp"
#include "workloads/mpibench/clock.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// A figure beside the times, as it stands in the details of the JSON line.
struct Figure {
    std::string_view name;
    double value;
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
    bool reduces = false;  ///< takes --operation
    bool rooted = false;   ///< takes --root
    bool streams = false;  ///< takes --window
    double share = 1;      ///< of an iteration that is reported: half of a ping-pong is one way
    /// Collective: further figures of one size, the same on all ranks.
    std::vector<Figure> (*figures)(Call&, std::int64_t iterations, const TickClock&) = nullptr;
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

/// Overheads of sending and receiving, the interval between messages, and how long a sender waits for a late receiver.
[[nodiscard]] std::vector<Figure> loggp_costs(Call& call, std::int64_t iterations, const TickClock& clock);

}  // namespace waywiser::mpibench
