#include "workloads/mpibench/benchmarks.hpp"

#include "base/error.hpp"
#include "workloads/mpibench/neighbours.hpp"
#include "workloads/mpibench/one_sided.hpp"
#include "workloads/mpibench/variants.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

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
    Benchmark{.name = "neighbor_allgather",
              .osu_title = "Neighborhood Allgather Latency",
              .moves = "one block of each rank to its neighbours in a grid of two dimensions",
              .group = Group::all,
              .sends = Blocks::one,
              .receives = Blocks::each_neighbour,
              .run = neighbor_allgather,
              .expects = of_neighbour,
              .prepare = make_grid,
              .release = free_grid},
    Benchmark{.name = "neighbor_alltoall",
              .osu_title = "Neighborhood Alltoall Latency",
              .moves = "a block of each rank to each neighbour in a grid of two dimensions",
              .group = Group::all,
              .sends = Blocks::each_neighbour,
              .receives = Blocks::each_neighbour,
              .run = neighbor_alltoall,
              .expects = for_this_neighbour,
              .prepare = make_grid,
              .release = free_grid},
    Benchmark{.name = "put",
              .osu_title = "Put Latency",
              .moves = "one block into the partner's memory, flushed",
              .group = Group::pair,
              .sends = Blocks::one,
              .receives = Blocks::one,
              .run = put,
              .expects = of_partner_by_target,
              .prepare = expose_block,
              .release = withdraw,
              .settle = settle},
    Benchmark{.name = "get",
              .osu_title = "Get latency",
              .moves = "one block out of the partner's memory, flushed",
              .group = Group::pair,
              .sends = Blocks::one,
              .receives = Blocks::one,
              .run = get,
              .expects = of_partner_by_origin,
              .prepare = expose_block,
              .release = withdraw,
              .settle = settle},
    Benchmark{.name = "accumulate",
              .osu_title = "Accumulate latency",
              .moves = "one block combined with that in the partner's memory, flushed",
              .group = Group::pair,
              .sends = Blocks::one,
              .receives = Blocks::one,
              .run = accumulate,
              .expects = of_both_by_target,
              .reduces = true,
              .prepare = expose_block,
              .release = withdraw,
              .settle = settle},
    Benchmark{.name = "put_bandwidth",
              .osu_title = "Put Bandwidth",
              .moves = "a window of blocks into the partner's memory, flushed",
              .group = Group::pair,
              .sends = Blocks::each_message,
              .receives = Blocks::each_message,
              .run = put_bandwidth,
              .expects = of_partner_by_target,
              .streams = true,
              .prepare = expose_window,
              .release = withdraw,
              .settle = settle,
              .blocks_counted = 1},
    Benchmark{.name = "get_bandwidth",
              .osu_title = "Get Bandwidth",
              .moves = "a window of blocks out of the partner's memory, flushed",
              .group = Group::pair,
              .sends = Blocks::each_message,
              .receives = Blocks::each_message,
              .run = get_bandwidth,
              .expects = of_partner_by_origin,
              .streams = true,
              .prepare = expose_window,
              .release = withdraw,
              .settle = settle,
              .blocks_counted = 1},
    Benchmark{.name = "init",
              .osu_title = "Init",
              .moves = "nothing: the time that MPI_Init took, once",
              .group = Group::all,
              .sends = Blocks::none,
              .receives = Blocks::none,
              .run = nullptr},
};

const Benchmark& find(std::span<const Benchmark> benchmarks, std::string_view name) {
    std::string known;
    for (const Benchmark& benchmark : benchmarks) {
        if (benchmark.name == name) return benchmark;
        known += (known.empty() ? "" : ", ") + std::string(benchmark.name);
    }
    throw InvalidInput("ww-mpibench has no benchmark '" + std::string(name) + "'; it has: " + known);
}

Benchmark benchmark_of(const Variant& variant) {
    Benchmark benchmark = find(table, variant.blocking);
    benchmark.name = variant.name;
    benchmark.osu_title = variant.osu_title;
    benchmark.run = variant.run;
    benchmark.make = variant.make;
    benchmark.overlaps = variant.make == nullptr;
    return benchmark;
}

std::vector<Benchmark> with_variants() {
    std::vector<Benchmark> all(table.begin(), table.end());
    for (const std::span<const Variant> variants : {nonblocking(), persistent()}) {
        std::ranges::transform(variants, std::back_inserter(all), benchmark_of);
    }
    return all;
}

}  // namespace

std::span<const Benchmark> benchmarks() {
    static const std::vector<Benchmark> all = with_variants();
    return all;
}

const Benchmark& find_benchmark(std::string_view name) { return find(benchmarks(), name); }

std::string list_text() {
    std::string text;
    for (const Benchmark& benchmark : benchmarks()) {
        std::string name(benchmark.name);
        name.resize(30, ' ');
        text += name + std::string(benchmark.moves) + "\n";
    }
    return text;
}

}  // namespace waywiser::mpibench
