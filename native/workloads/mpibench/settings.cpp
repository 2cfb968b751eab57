#include "workloads/mpibench/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"

#include <charconv>
#include <limits>
#include <string_view>

namespace waywiser::mpibench {
namespace {

constexpr std::int64_t most_bytes = std::numeric_limits<int>::max();

struct NamedMethod {
    std::string_view name;
    Method method;
};
constexpr NamedMethod methods[] = {
    {"window", Method::window}, {"barrier", Method::barrier}, {"osu", Method::osu}, {"imb", Method::imb}};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::int64_t bytes(const std::string& text) {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= most_bytes,
            "--sizes '" + text + "': expected a whole number of bytes from 0 to " + std::to_string(most_bytes));
    return value;
}

std::vector<std::int64_t> read_sizes(const std::string& text) {
    std::vector<std::int64_t> sizes;
    const std::vector<std::string> range = split(text, ':');
    if (range.size() != 2) {
        for (const std::string& size : split(text, ',')) sizes.push_back(bytes(size));
        return sizes;
    }
    const std::int64_t last = bytes(range[1]);
    std::int64_t size = bytes(range[0]);
    require(size <= last, "--sizes " + text + " goes down: give MIN:MAX");
    for (; size <= last; size = size == 0 ? 1 : 2 * size) sizes.push_back(size);
    return sizes;
}

}  // namespace

Options options_of(Settings& s) {
    Options options("ww-mpibench", "times of MPI's calls, iteration by iteration.");
    options.add_text("benchmark", s.benchmark_names, "names from --list, with commas",
                     "benchmark to run; default latency");
    options.add_text("sizes", s.size_text, "MIN:MAX in bytes for the powers of two between, or numbers with commas",
                     "bytes of a message or of a rank's block; default 1:1048576");
    options.add_count(
        "iterations", s.iterations, 1, 100'000'000,
        "timed iterations; default 10000 for latencies of pairs, 1000 for collectives, 100 for bandwidths, "
        "a tenth of that above 8192 bytes");
    options.add_count("warmup", s.warmup, 0, 100'000'000,
                      "untimed iterations before the timed ones; default a tenth of the iterations");
    options.add_count("seconds", s.seconds, 1, 1'000'000,
                      "limit the time of a size: fewer iterations, but ten at least; default 10");
    options.add_text(
        "method", s.method_name, "window, barrier, osu or imb",
        "start at one time of a global clock or after a barrier, or measure as OSU's or Intel's benchmarks");
    options.add_text("datatype", s.datatype, "char, int, float or double", "type of the elements; default char");
    options.add_text("operation", s.operation, "sum, max or min", "operation of reductions; default sum");
    options.add_text("pairs", s.pairs, "half, adjacent, inside, between, or ranks as 0:2,1:3",
                     "pairs of ranks: i and i + n/2 (default), 2i and 2i + 1, ranks of one host, ranks of two hosts");
    options.add_count("root", s.root, 0, most_bytes, "rank that is the root; default 0");
    options.add_count("window", s.window, 1, 1'000'000, "messages under way at once in bandwidths; default 64");
    options.add_text("layout", s.layout, "contiguous, vector:STRIDE:BLOCK or indexed:FILE",
                     "send blocks as one derived datatype: all elements, BLOCK of each STRIDE, or the file's lines "
                     "START,COUNT; default none");
    options.add_text("synchronisation", s.synchronisation, "flush, flush_local, lock, lock_all, pscw or fence",
                     "call that completes one-sided communication; default flush");
    options.add_count("tests", s.tests, 0, 1'000'000,
                      "calls of MPI_Test while computing beside a nonblocking collective; default 0");
    options.add_count("partitions", s.partitions, 1, 1'000'000, "partitions of a message; default 8");
    options.add_choice("counters", s.counters, {"one", "node"},
                       "draw tasks from one counter on rank 0 (default), or from one on each node", "one or node");
    options.add_count("tasks", s.tasks, 1, 100'000, "tasks of dynamic for each rank; default 32");
    options.add_count("task-us", s.task_us, 1, 10'000'000, "mean length of these tasks; default 100");
    options.add_count("seed", s.seed, 0, most_bytes, "random seed of the order of these tasks; default 1");
    options.add_count("memory-limit-mb", s.memory_limit_mb, 1, 1'000'000,
                      "skip sizes whose buffers need more memory on a rank; default 512");
    options.add_flag("check", s.check, "fill and check the data of every iteration, outside the time");
    options.add_flag("separate-clocks", s.separate_clocks,
                     "estimate the clock of every rank, as if each had a host of its own");
    options.add_flag("osu-format", s.osu_format, "print as the OSU benchmarks do");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a benchmark and size to this file");
    options.add_flag("list", s.list, "list the benchmarks and exit");
    return options;
}

void complete(Settings& s) {
    s.benchmarks = split(s.benchmark_names, ',');
    s.sizes = read_sizes(s.size_text);
    s.method = find_named<NamedMethod>(methods, "method", s.method_name).method;
}

}  // namespace waywiser::mpibench
