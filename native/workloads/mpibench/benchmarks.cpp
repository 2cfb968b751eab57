#include "workloads/mpibench/benchmarks.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"
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

// Data that several benchmarks move.
constexpr Benchmark ping_pong{.group = Group::pair, .expects = of_partner, .unbroken = true, .share = 0.5};
constexpr Benchmark one_way{.group = Group::pair, .expects = of_first, .unbroken = true, .directions = 1};
constexpr Benchmark both_ways{.group = Group::pair, .expects = of_partner, .unbroken = true, .directions = 2};
constexpr Benchmark from_root{.sends = Blocks::each_rank, .expects = own_of_root, .rooted = true};
constexpr Benchmark to_root{.receives = Blocks::each_rank, .expects = of_each_at_root, .rooted = true};
constexpr Benchmark to_all{.receives = Blocks::each_rank, .expects = of_each};
constexpr Benchmark from_all{.sends = Blocks::each_rank, .receives = Blocks::each_rank, .expects = own_of_each};
constexpr Benchmark to_neighbours{.receives = Blocks::each_neighbour, .release = free_grid, .expects = of_neighbour};
constexpr Benchmark from_neighbours{.sends = Blocks::each_neighbour,
                                    .receives = Blocks::each_neighbour,
                                    .release = free_grid,
                                    .expects = for_this_neighbour};

constexpr Benchmark like(Benchmark benchmark, std::string_view name, std::string_view osu_title, std::string_view moves,
                         void (*run)(Call&), void (*prepare)(Call&) = nullptr) {
    benchmark.name = name;
    benchmark.osu_title = osu_title;
    benchmark.moves = moves;
    benchmark.run = run;
    benchmark.prepare = prepare;
    return benchmark;
}

constexpr Benchmark of_pairs(Benchmark benchmark) {
    benchmark.group = Group::pairs;
    return benchmark;
}

constexpr std::array table{
    like(ping_pong, "latency", "Latency", "one message there and one back; the time is one way", latency),
    Benchmark{.name = "loggp",
              .moves = "as latency; then what `waywiser machine calibrate` needs: overheads, intervals, late receivers",
              .group = Group::pair,
              .run = latency,
              .expects = of_partner,
              .metrics = loggp_costs,
              .unbroken = true,
              .share = 0.5},
    like(of_pairs(ping_pong), "multi_latency", "Multi Latency", "latency of all pairs at once", latency),
    like(one_way, "bandwidth", "Bandwidth", "a window of messages to the second rank, and its answer", bandwidth,
         prepare_requests),
    like(both_ways, "bibandwidth", "Bi-Directional Bandwidth", "a window of messages in both directions", bibandwidth,
         prepare_requests),
    like(of_pairs(one_way), "multi_bandwidth", "Multiple Bandwidth / Message Rate", "bandwidth of all pairs at once",
         bandwidth, prepare_requests),
    like(of_pairs(both_ways), "multi_bibandwidth", "", "bandwidth of all pairs at once, in both directions",
         bibandwidth, prepare_requests),
    like(of_pairs(one_way), "message_rate", "Multiple Bandwidth / Message Rate",
         "as multi_bandwidth, for messages a second", bandwidth, prepare_requests),
    Benchmark{.name = "sendrecv",
              .moves = "one message to the rank on the right, one from the left",
              .run = sendrecv,
              .expects = of_left,
              .unbroken = true},
    Benchmark{.name = "memory",
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
    like(from_root, "scatter", "Scatter", "a block from the root to each rank", scatter),
    like(from_root, "scatterv", "Scatterv", "as scatter, with counts", scatterv, prepare_blocks),
    like(to_root, "gather", "Gather", "a block of each rank to the root", gather),
    like(to_root, "gatherv", "Gatherv", "as gather, with counts", gatherv, prepare_blocks),
    like(to_all, "allgather", "Allgather", "a block of each rank to all", allgather),
    like(to_all, "allgatherv", "Allgatherv", "as allgather, with counts", allgatherv, prepare_blocks),
    like(from_all, "alltoall", "All-to-All Personalized Exchange", "a block from each rank to each", alltoall),
    like(from_all, "alltoallv", "All-to-Allv Personalized Exchange", "as alltoall, with counts", alltoallv,
         prepare_blocks),
    like(from_all, "alltoallw", "All-to-Allw Personalized Exchange", "as alltoall, with counts and datatypes",
         alltoallw, prepare_blocks),
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
              .moves = "a block of each rank, combined up to the receiver",
              .run = scan,
              .expects = up_to_own,
              .reduces = true},
    Benchmark{.name = "exscan",
              .moves = "a block of each rank, combined up to the one before the receiver",
              .run = exscan,
              .expects = before_own,
              .reduces = true},
    like(to_neighbours, "neighbor_allgather", "Neighborhood Allgather",
         "one block of each rank to its neighbours in a grid of two dimensions", neighbor_allgather, make_grid),
    like(to_neighbours, "neighbor_allgatherv", "Neighborhood Allgatherv", "as neighbor_allgather, with counts",
         neighbor_allgatherv, make_grid),
    like(from_neighbours, "neighbor_alltoall", "Neighborhood Alltoall",
         "a block of each rank to each neighbour in a grid of two dimensions", neighbor_alltoall, make_grid),
    like(from_neighbours, "neighbor_alltoallv", "Neighborhood All-to-Allv", "as neighbor_alltoall, with counts",
         neighbor_alltoallv, make_grid),
    like(from_neighbours, "neighbor_alltoallw", "Neighborhood All-to-Allw",
         "as neighbor_alltoall, with counts and datatypes", neighbor_alltoallw, make_grid),
};

constexpr Benchmark start_up{.name = "init",
                             .osu_title = "Init",
                             .moves = "nothing: the time that MPI_Init took, once",
                             .sends = Blocks::none,
                             .receives = Blocks::none};

const Benchmark& find(std::span<const Benchmark> benchmarks, std::string_view name) {
    for (const Benchmark& benchmark : benchmarks) {
        if (benchmark.name == name) return benchmark;
    }
    constexpr std::size_t most_suggestions = 3;
    throw InvalidInput("--benchmark '" + std::string(name) + "': unknown name" +
                       suggestion(name, names_in(benchmarks), most_suggestions) + "; --list prints all");
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
