#include "workloads/mpibench/one_sided.hpp"

#include <array>

namespace waywiser::mpibench {
namespace {

/// An operation on the partner's memory.
constexpr Benchmark one_sided(std::string_view name, std::string_view osu_title, std::string_view moves,
                              void (*run)(Call&), Expected (*expects)(const Call&, int)) {
    return {.name = name,
            .osu_title = osu_title,
            .moves = moves,
            .group = Group::pair,
            .run = run,
            .prepare = expose_block,
            .release = withdraw,
            .settle = settle,
            .expects = expects,
            .unbroken = true};
}

constexpr Benchmark reducing(Benchmark benchmark, bool one_element = false) {
    benchmark.reduces = true;
    benchmark.one_element = one_element;
    return benchmark;
}

constexpr Benchmark comparing(Benchmark benchmark) {
    benchmark.settle = settle_comparand;
    benchmark.one_element = benchmark.integers = true;
    return benchmark;
}

constexpr Benchmark in_window(Benchmark benchmark) {
    benchmark.sends = benchmark.receives = Blocks::each_message;
    benchmark.prepare = expose_window;
    benchmark.directions = 1;
    return benchmark;
}

constexpr std::array one_sided_table{
    one_sided("put", "Put Latency", "one block into the partner's memory, flushed", put, of_partner_by_target),
    one_sided("get", "Get latency", "one block out of the partner's memory, flushed", get, of_partner_by_origin),
    reducing(one_sided("accumulate", "Accumulate latency",
                       "one block combined with that in the partner's memory, flushed", accumulate, of_both_by_target)),
    reducing(one_sided("get_accumulate", "Get_accumulate latency",
                       "as accumulate, and what was there before comes back", get_accumulate,
                       of_both_by_target_and_partner_by_origin)),
    reducing(one_sided("fetch_and_op", "Fetch_and_op latency", "as get_accumulate, of one element", fetch_and_op,
                       of_both_by_target_and_partner_by_origin),
             true),
    comparing(one_sided("compare_and_swap", "Compare_and_swap latency",
                        "one element into the partner's memory if what is there is as expected; that comes back",
                        compare_and_swap, exchanged)),
    in_window(one_sided("put_bandwidth", "Put Bandwidth", "a window of blocks into the partner's memory, flushed",
                        put_bandwidth, of_partner_by_target)),
    in_window(one_sided("get_bandwidth", "Get Bandwidth", "a window of blocks out of the partner's memory, flushed",
                        get_bandwidth, of_partner_by_origin)),
};

}  // namespace

std::span<const Benchmark> one_sided_benchmarks() { return one_sided_table; }

}  // namespace waywiser::mpibench
