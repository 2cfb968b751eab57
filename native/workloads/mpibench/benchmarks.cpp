#include "workloads/mpibench/benchmarks.hpp"

#include "base/error.hpp"
#include "workloads/mpibench/draws.hpp"
#include "workloads/mpibench/iterations.hpp"
#include "workloads/mpibench/loggp.hpp"
#include "workloads/mpibench/neighbours.hpp"
#include "workloads/mpibench/one_sided.hpp"
#include "workloads/mpibench/variants.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace waywiser::mpibench {
namespace {

// Expected contents of a received block.

Expected of(int rank, int block = 0) { return {.first = rank, .last = rank, .block = block}; }

Expected of_itself(const Call& call, int) { return {.first = call.rank, .last = call.rank}; }

Expected of_partner(const Call& call, int) { return of(call.partner); }

Expected of_first(const Call& call, int) { return call.first ? Expected{} : of(call.partner); }

Expected of_left(const Call& call, int) { return of((call.rank + call.size - 1) % call.size); }

Expected of_root_by_others(const Call& call, int) { return call.rank == call.root ? Expected{} : of(call.root); }

Expected own_of_root(const Call& call, int) { return of(call.root, call.rank); }

Expected of_each(const Call&, int block) { return of(block); }

Expected of_each_at_root(const Call& call, int block) { return call.rank == call.root ? of(block) : Expected{}; }

Expected own_of_each(const Call& call, int block) { return of(block, call.rank); }

Expected of_all(const Call& call, int) { return {.first = 0, .last = call.size - 1}; }

Expected of_all_at_root(const Call& call, int) { return call.rank == call.root ? of_all(call, 0) : Expected{}; }

Expected own_part_of_all(const Call& call, int) {
    const auto own = call.counts.begin() + call.rank;
    const int start = std::accumulate(call.counts.begin(), own, 0);
    return {.first = 0, .last = call.size - 1, .start = start, .count = *own};
}

Expected own_equal_part_of_all(const Call& call, int) {
    const int part = call.elements / call.size;
    return {.first = 0, .last = call.size - 1, .start = call.rank * part, .count = part};
}

Expected up_to_own(const Call& call, int) { return {.first = 0, .last = call.rank}; }

Expected before_own(const Call& call, int) { return {.first = 0, .last = call.rank - 1}; }

constexpr std::array table{
    Benchmark{.name = "latency",
              .osu_title = "Latency",
              .moves = "one message there and one back; the time is one way",
              .group = Group::pair,
              .run = latency,
              .expects = of_partner,
              .unbroken = true,
              .share = 0.5},
    Benchmark{.name = "loggp",
              .osu_title = "",
              .moves = "as latency; then what `waywiser machine calibrate` needs: overheads, intervals, late receivers",
              .group = Group::pair,
              .run = latency,
              .expects = of_partner,
              .metrics = loggp_costs,
              .unbroken = true,
              .share = 0.5},
    Benchmark{.name = "multi_latency",
              .osu_title = "Multi Latency",
              .moves = "latency of all pairs at once",
              .group = Group::pairs,
              .run = latency,
              .expects = of_partner,
              .unbroken = true,
              .share = 0.5},
    Benchmark{.name = "bandwidth",
              .osu_title = "Bandwidth",
              .moves = "a window of messages to the second rank, and its answer",
              .group = Group::pair,
              .run = bandwidth,
              .prepare = prepare_requests,
              .expects = of_first,
              .unbroken = true,
              .directions = 1},
    Benchmark{.name = "bibandwidth",
              .osu_title = "Bi-Directional Bandwidth",
              .moves = "a window of messages in both directions",
              .group = Group::pair,
              .run = bibandwidth,
              .prepare = prepare_requests,
              .expects = of_partner,
              .unbroken = true,
              .directions = 2},
    Benchmark{.name = "multi_bandwidth",
              .osu_title = "Multiple Bandwidth / Message Rate",
              .moves = "bandwidth of all pairs at once",
              .group = Group::pairs,
              .run = bandwidth,
              .prepare = prepare_requests,
              .expects = of_first,
              .unbroken = true,
              .directions = 1},
    Benchmark{.name = "multi_bibandwidth",
              .osu_title = "",
              .moves = "bandwidth of all pairs at once, in both directions",
              .group = Group::pairs,
              .run = bibandwidth,
              .prepare = prepare_requests,
              .expects = of_partner,
              .unbroken = true,
              .directions = 2},
    Benchmark{.name = "message_rate",
              .osu_title = "Multiple Bandwidth / Message Rate",
              .moves = "as multi_bandwidth, for messages a second",
              .group = Group::pairs,
              .run = bandwidth,
              .prepare = prepare_requests,
              .expects = of_first,
              .unbroken = true,
              .directions = 1},
    Benchmark{.name = "sendrecv",
              .osu_title = "",
              .moves = "one message to the rank on the right, one from the left",
              .run = sendrecv,
              .expects = of_left,
              .unbroken = true},
    Benchmark{.name = "memory",
              .osu_title = "",
              .moves = "each rank copies its block, as often as --window says: read and written by all, no message",
              .run = memory,
              .expects = of_itself,
              .messages = false,
              .unbroken = true,
              .directions = 2},
    Benchmark{.name = "barrier",
              .osu_title = "Barrier",
              .moves = "nothing",
              .sends = Blocks::none,
              .receives = Blocks::none,
              .run = barrier,
              .unbroken = true},
    Benchmark{.name = "bcast",
              .osu_title = "Broadcast",
              .moves = "a block from the root to all",
              .run = bcast,
              .expects = of_root_by_others,
              .rooted = true},
    Benchmark{.name = "scatter",
              .osu_title = "Scatter",
              .moves = "a block from the root to each rank",
              .sends = Blocks::each_rank,
              .run = scatter,
              .expects = own_of_root,
              .rooted = true},
    Benchmark{.name = "scatterv",
              .osu_title = "Scatterv",
              .moves = "as scatter, with counts",
              .sends = Blocks::each_rank,
              .run = scatterv,
              .prepare = prepare_blocks,
              .expects = own_of_root,
              .rooted = true},
    Benchmark{.name = "gather",
              .osu_title = "Gather",
              .moves = "a block of each rank to the root",
              .receives = Blocks::each_rank,
              .run = gather,
              .expects = of_each_at_root,
              .rooted = true},
    Benchmark{.name = "gatherv",
              .osu_title = "Gatherv",
              .moves = "as gather, with counts",
              .receives = Blocks::each_rank,
              .run = gatherv,
              .prepare = prepare_blocks,
              .expects = of_each_at_root,
              .rooted = true},
    Benchmark{.name = "allgather",
              .osu_title = "Allgather",
              .moves = "a block of each rank to all",
              .receives = Blocks::each_rank,
              .run = allgather,
              .expects = of_each},
    Benchmark{.name = "allgatherv",
              .osu_title = "Allgatherv",
              .moves = "as allgather, with counts",
              .receives = Blocks::each_rank,
              .run = allgatherv,
              .prepare = prepare_blocks,
              .expects = of_each},
    Benchmark{.name = "alltoall",
              .osu_title = "All-to-All Personalized Exchange",
              .moves = "a block from each rank to each",
              .sends = Blocks::each_rank,
              .receives = Blocks::each_rank,
              .run = alltoall,
              .expects = own_of_each},
    Benchmark{.name = "alltoallv",
              .osu_title = "All-to-Allv Personalized Exchange",
              .moves = "as alltoall, with counts",
              .sends = Blocks::each_rank,
              .receives = Blocks::each_rank,
              .run = alltoallv,
              .prepare = prepare_blocks,
              .expects = own_of_each},
    Benchmark{.name = "alltoallw",
              .osu_title = "All-to-Allw Personalized Exchange",
              .moves = "as alltoall, with counts and datatypes",
              .sends = Blocks::each_rank,
              .receives = Blocks::each_rank,
              .run = alltoallw,
              .prepare = prepare_blocks,
              .expects = own_of_each},
    Benchmark{.name = "reduce",
              .osu_title = "Reduce",
              .moves = "a block of each rank, combined, to the root",
              .run = reduce,
              .expects = of_all_at_root,
              .reduces = true,
              .rooted = true},
    Benchmark{.name = "allreduce",
              .osu_title = "Allreduce",
              .moves = "a block of each rank, combined, to all",
              .run = allreduce,
              .expects = of_all,
              .reduces = true},
    Benchmark{.name = "reduce_scatter",
              .osu_title = "Reduce_scatter",
              .moves = "a block of each rank, combined, a part to each",
              .run = reduce_scatter,
              .prepare = prepare_parts,
              .expects = own_part_of_all,
              .reduces = true,
              .splits = true},
    Benchmark{.name = "reduce_scatter_block",
              .osu_title = "Reduce_scatter_block",
              .moves = "as reduce_scatter, with equal parts",
              .run = reduce_scatter_block,
              .expects = own_equal_part_of_all,
              .reduces = true,
              .splits = true},
    Benchmark{.name = "scan",
              .osu_title = "",
              .moves = "a block of each rank, combined up to the receiver",
              .run = scan,
              .expects = up_to_own,
              .reduces = true},
    Benchmark{.name = "exscan",
              .osu_title = "",
              .moves = "a block of each rank, combined up to the one before the receiver",
              .run = exscan,
              .expects = before_own,
              .reduces = true},
    Benchmark{.name = "neighbor_allgather",
              .osu_title = "Neighborhood Allgather",
              .moves = "one block of each rank to its neighbours in a grid of two dimensions",
              .receives = Blocks::each_neighbour,
              .run = neighbor_allgather,
              .prepare = make_grid,
              .release = free_grid,
              .expects = of_neighbour},
    Benchmark{.name = "neighbor_allgatherv",
              .osu_title = "Neighborhood Allgatherv",
              .moves = "as neighbor_allgather, with counts",
              .receives = Blocks::each_neighbour,
              .run = neighbor_allgatherv,
              .prepare = make_grid,
              .release = free_grid,
              .expects = of_neighbour},
    Benchmark{.name = "neighbor_alltoall",
              .osu_title = "Neighborhood Alltoall",
              .moves = "a block of each rank to each neighbour in a grid of two dimensions",
              .sends = Blocks::each_neighbour,
              .receives = Blocks::each_neighbour,
              .run = neighbor_alltoall,
              .prepare = make_grid,
              .release = free_grid,
              .expects = for_this_neighbour},
    Benchmark{.name = "neighbor_alltoallv",
              .osu_title = "Neighborhood All-to-Allv",
              .moves = "as neighbor_alltoall, with counts",
              .sends = Blocks::each_neighbour,
              .receives = Blocks::each_neighbour,
              .run = neighbor_alltoallv,
              .prepare = make_grid,
              .release = free_grid,
              .expects = for_this_neighbour},
    Benchmark{.name = "neighbor_alltoallw",
              .osu_title = "Neighborhood All-to-Allw",
              .moves = "as neighbor_alltoall, with counts and datatypes",
              .sends = Blocks::each_neighbour,
              .receives = Blocks::each_neighbour,
              .run = neighbor_alltoallw,
              .prepare = make_grid,
              .release = free_grid,
              .expects = for_this_neighbour},
};

constexpr Benchmark start_up{.name = "init",
                             .osu_title = "Init",
                             .moves = "nothing: the time that MPI_Init took, once",
                             .sends = Blocks::none,
                             .receives = Blocks::none,
                             .run = nullptr};

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
    if (variant.release != nullptr) benchmark.release = variant.release;
    benchmark.overlaps = variant.make == nullptr;
    benchmark.partitioned = variant.partitioned;
    return benchmark;
}

std::vector<Benchmark> all_benchmarks() {
    std::vector<Benchmark> all(table.begin(), table.end());
    std::ranges::copy(one_sided_benchmarks(), std::back_inserter(all));
    std::ranges::copy(drawing_benchmarks(), std::back_inserter(all));
    all.push_back(start_up);
    for (const auto& variants : {nonblocking_variants(), persistent_variants(), partitioned_variants()}) {
        std::ranges::transform(variants, std::back_inserter(all), benchmark_of);
    }
    return all;
}

}  // namespace

std::span<const Benchmark> benchmarks() {
    static const std::vector<Benchmark> all = all_benchmarks();
    return all;
}

const Benchmark& find_benchmark(std::string_view name) { return find(benchmarks(), name); }

std::string list_text() {
    std::string text;
    for (const Benchmark& benchmark : benchmarks()) {
        std::string name(benchmark.name);
        name.resize(32, ' ');
        text += name + std::string(benchmark.moves) + "\n";
    }
    return text;
}

}  // namespace waywiser::mpibench
