/// The benchmarks: one table, from which options, help, measurement, validation and reports are made.
#pragma once

#include "workloads/common/sample.hpp"
#include "workloads/mpibench/call.hpp"
#include "workloads/mpibench/clock.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser::mpibench {

/// The participants: ranks of one pair, of all pairs, or all ranks.
enum class Group { pair, pairs, all };

/// The number of blocks in a buffer.
enum class Blocks { none, one, each_rank, each_neighbour, each_message };

/// The expected content of a received block: `count` elements (all of a block if negative) of block `block` of the
/// ranks first..last, from element `start` on, combined by the operation. Nothing is expected if first > last.
struct Expected {
    int first = 0;
    int last = -1;
    int block = 0;
    int step = 1;  ///< distance between ranks
    int start = 0;
    int count = -1;
};

/// A metric in addition to the times, for the details of the JSON line.
struct Metric {
    std::string_view name;
    double value;
};

struct Plan;
struct Times;

struct Benchmark {
    std::string_view name = {};       ///< name on the command line
    std::string_view osu_title = {};  ///< title in OSU's corresponding program; empty if there is none
    std::string_view moves = {};      ///< description of one iteration for help
    Group group = Group::all;
    Blocks sends = Blocks::one;
    Blocks receives = Blocks::one;
    void (*run)(Call&) = nullptr;  ///< one iteration; null: measured when the program started
    /// Runs all iterations if their number differs between ranks; null: a loop over `run`.
    Times (*loop)(Call&, const Plan&, const GlobalClock&) = nullptr;
    void (*prepare)(Call&) = nullptr;                 ///< called once per size before the first iteration
    void (*make)(Call&) = nullptr;                    ///< called after `prepare`: creates the persistent request
    void (*release)(Call&) = nullptr;                 ///< called once per size after the last iteration
    void (*settle)(Call&) = nullptr;                  ///< makes data written outside MPI visible to the other ranks
    Expected (*expects)(const Call&, int) = nullptr;  ///< expected content of a received block
    /// Checks an iteration whose correctness no buffer shows. Collective, outside the measured time.
    bool (*holds)(Call&) = nullptr;
    /// Further metrics of one size, equal on all ranks. Collective.
    std::vector<Metric> (*metrics)(Call&, std::int64_t iterations, const TickClock&) = nullptr;
    std::span<const Column> columns{};  ///< columns of these metrics
    /// Text of a remark below the row; may be empty.
    std::string (*remark)(std::span<const Metric>, std::int64_t iterations) = nullptr;
    bool schedules = false;    ///< takes --tasks, --task-us and --seed
    bool messages = true;      ///< data are moved by MPI
    bool reduces = false;      ///< takes --operation
    bool one_element = false;  ///< the size is fixed, so that --sizes does not apply
    bool integers = false;     ///< no floating-point datatypes
    bool partitioned = false;  ///< takes --partitions
    bool splits = false;       ///< a block is one part per rank: sizes below one element per rank are omitted
    bool rooted = false;       ///< takes --root
    bool unbroken = false;     ///< peers have no barrier between iterations, and IMB measures the loop
    double share = 1;          ///< reported share of an iteration: half of a ping-pong is one way
    bool overlaps = false;     ///< a nonblocking operation whose overlap is measured
    int directions = 0;        ///< directions in which a window of messages is in flight; 0: no bandwidth
};

[[nodiscard]] std::span<const Benchmark> benchmarks();

/// \throws InvalidInput  with the known benchmarks
[[nodiscard]] const Benchmark& find_benchmark(std::string_view name);

/// One line per benchmark: its name and the data that it moves.
[[nodiscard]] std::string list_text();

}  // namespace waywiser::mpibench
