#include "workloads/mpibench/benchmarks.hpp"

#include "base/error.hpp"

#include <array>
#include <string>

namespace waywiser::mpibench {
namespace {

Expected of_partner(const Call& call, int) { return {call.partner, call.partner, 0}; }

Expected of_all(const Call& call, int) { return {0, call.size - 1, 0}; }

Expected of_root_by_others(const Call& call, int) {
    return call.rank == call.root ? Expected{} : Expected{call.root, call.root, 0};
}

constexpr std::array table{
    Benchmark{.name = "latency",
              .osu_title = "Latency",
              .moves = "one message there and one back; the time is one way",
              .group = Group::pair,
              .sends = Blocks::one,
              .receives = Blocks::one,
              .run = latency,
              .expects = of_partner,
              .share = 0.5},
    Benchmark{.name = "barrier",
              .osu_title = "Barrier Latency",
              .moves = "nothing",
              .group = Group::all,
              .sends = Blocks::none,
              .receives = Blocks::none,
              .run = barrier},
    Benchmark{.name = "bcast",
              .osu_title = "Broadcast Latency",
              .moves = "one block from the root to all",
              .group = Group::all,
              .sends = Blocks::one,
              .receives = Blocks::one,
              .run = bcast,
              .expects = of_root_by_others,
              .rooted = true},
    Benchmark{.name = "allreduce",
              .osu_title = "Allreduce Latency",
              .moves = "one block of each rank, combined, to all",
              .group = Group::all,
              .sends = Blocks::one,
              .receives = Blocks::one,
              .run = allreduce,
              .expects = of_all,
              .reduces = true},
};

}  // namespace

std::span<const Benchmark> benchmarks() { return table; }

const Benchmark& find_benchmark(std::string_view name) {
    std::string known;
    for (const Benchmark& benchmark : table) {
        if (benchmark.name == name) return benchmark;
        known += (known.empty() ? "" : ", ") + std::string(benchmark.name);
    }
    throw InvalidInput("ww-mpibench has no benchmark '" + std::string(name) + "'; it has: " + known);
}

std::string list_text() {
    std::string text;
    for (const Benchmark& benchmark : table) {
        std::string name(benchmark.name);
        name.resize(24, ' ');
        text += name + std::string(benchmark.moves) + "\n";
    }
    return text;
}

}  // namespace waywiser::mpibench
