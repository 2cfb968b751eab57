// ww-mpibench measures MPI calls, iteration by iteration.
#include "base/error.hpp"
#include "workloads/common/program.hpp"
#include "workloads/mpibench/carriers.hpp"
#include "workloads/mpibench/layout.hpp"
#include "workloads/mpibench/library.hpp"
#include "workloads/mpibench/one_sided.hpp"
#include "workloads/mpibench/overlap.hpp"
#include "workloads/mpibench/pairs.hpp"
#include "workloads/mpibench/peers.hpp"
#include "workloads/mpibench/report.hpp"
#include "workloads/mpibench/validation.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

namespace {

using namespace waywiser;
using namespace waywiser::mpibench;

Plan plan_of(const Benchmark& benchmark, std::int64_t bytes, const Settings& settings) {
    if (benchmark.run == nullptr) return {.method = settings.method, .iterations = 1, .warmup = 0, .check = false};
    const auto [iterations, warmup] = counts_of(benchmark, bytes, settings);
    const bool check = settings.check || benchmark.holds != nullptr;
    return {.method = settings.method, .iterations = iterations, .warmup = warmup, .check = check};
}

std::size_t buffer_bytes(Blocks blocks, const Call& call) {
    return static_cast<std::size_t>(count_of(blocks, call)) * static_cast<std::size_t>(call.bytes);
}

struct Outcome {
    bool held;
    Carried carried;
};

struct Buffers {
    Buffer send;
    Buffer receive;

    Buffers(const Benchmark& benchmark, const Call& call, MemoryOf origin)
        : send(buffer_bytes(benchmark.sends, call), origin), receive(buffer_bytes(benchmark.receives, call), origin) {}
};

/// Measures one size. \returns whether the data were correct, and their transports
Outcome run_size(const Benchmark& benchmark, Call& call, Buffers& buffers, const Settings& settings, GlobalClock& clock,
                 Setting& setting, std::optional<JsonLines>& lines) {
    call.send = buffers.send.data();
    call.receive = buffers.receive.data();
    if (benchmark.prepare != nullptr) benchmark.prepare(call);
    if (benchmark.make != nullptr) benchmark.make(call);
    clock.synchronise();
    if (settings.separate_clocks) setting.clock_spread_ns = clock.spread_ns(call.ranks);
    const Plan plan = affordable(plan_of(benchmark, call.bytes, settings), static_cast<double>(settings.seconds),
                                 benchmark, call, clock);
    const Traffic before = traffic();
    const Times times = measure(benchmark, call, plan, clock);
    const Traffic seen = traffic_since(before, call.ranks);  // Traffic is read before results are sent.
    Result result = collect(benchmark, call, plan, times);
    result.traffic = seen;
    if (benchmark.run != nullptr && benchmark.messages) {
        result.carriers = name_carriers(seen, call, plan.iterations);
    }
    if (benchmark.metrics != nullptr) result.metrics = benchmark.metrics(call, plan.iterations, clock.ticks());
    if (benchmark.overlaps) result.overlap = measure_overlap(benchmark, call, plan, clock);
    if (call.request != MPI_REQUEST_NULL) MPI_Request_free(&call.request);
    if (benchmark.release != nullptr) benchmark.release(call);
    const double error = clock.error_ns(clock.ticks().now());
    MPI_Reduce(&error, &setting.clock_error_ns, 1, MPI_DOUBLE, MPI_MAX, 0, call.ranks);
    if (call.rank == 0) {
        std::fputs(row(benchmark, result, call, setting, settings).c_str(), stdout);
        std::fputs(remark(benchmark, result, settings).c_str(), stdout);
        std::fflush(stdout);
        if (lines) lines->write(to_json(benchmark, result, call, setting, settings));
    }
    return {.held = result.verified.value_or(true), .carried = {.bytes = result.bytes, .by = result.carriers}};
}

/// True if a benchmark accepts derived datatypes: MPI combines, compares and swaps elements of its own types only.
bool takes_layout(const Benchmark& benchmark) {
    return benchmark.messages && !benchmark.reduces && !benchmark.one_element && !benchmark.partitioned;
}

/// Reason why a size cannot be measured; empty if the size can be measured.
std::string obstacle(const Benchmark& benchmark, const Call& call, const Layout& layout, const Settings& settings) {
    if (call.bytes % call.element.bytes != 0) return "no whole number of elements";
    if (benchmark.splits && call.elements < call.size) return "less than one element for each rank";
    if (benchmark.integers && !call.element.integer) return "MPI compares integers only";
    if (layout.derived() && !takes_layout(benchmark)) return "it takes no derived datatype";
    if (layout.derived() && layout.runs(call.elements).empty()) return "no whole block of --layout";
    if (benchmark.partitioned && call.elements % call.partitions != 0) return "no whole number of elements a partition";
    const std::size_t most = std::max(buffer_bytes(benchmark.sends, call), buffer_bytes(benchmark.receives, call));
    if (most > std::numeric_limits<int>::max()) return "MPI counts to 2147483647 only";
    const std::size_t needed = buffer_bytes(benchmark.sends, call) + buffer_bytes(benchmark.receives, call);
    if (needed > static_cast<std::size_t>(settings.memory_limit_mb) * 1'000'000) return "above --memory-limit-mb";
    return "";
}

void choose_size(Call& call, std::int64_t bytes) {
    call.bytes = bytes;
    call.elements = static_cast<int>(bytes / call.element.bytes);
}

/// The buffers of the largest measurable size, if the method uses the same buffers for all sizes.
std::optional<Buffers> buffers_to_keep(const Benchmark& benchmark, Call& call, const std::vector<std::int64_t>& sizes,
                                       const Layout& layout, const Settings& settings) {
    std::optional<std::int64_t> largest;
    for (const std::int64_t bytes : sizes) {
        choose_size(call, bytes);
        if (obstacle(benchmark, call, layout, settings).empty()) largest = std::max(bytes, largest.value_or(0));
    }
    if (!keeps_buffers(settings.method) || !largest) return std::nullopt;
    choose_size(call, *largest);
    return Buffers(benchmark, call, memory_of(settings.method));
}

std::vector<std::int64_t> sizes_of(const Benchmark& benchmark, const Call& call, const Settings& settings) {
    if (benchmark.sends == Blocks::none) return {0};
    if (benchmark.one_element) return {call.element.bytes};
    return settings.sizes;
}

bool run_benchmark(const Benchmark& benchmark, Call& call, const Layout& layout, const Settings& settings,
                   GlobalClock& clock, Setting& setting, std::optional<JsonLines>& lines) {
    if (call.rank == 0) std::fputs(heading(benchmark, call, settings).c_str(), stdout);
    const std::vector<std::int64_t> sizes = sizes_of(benchmark, call, settings);
    std::optional<Buffers> kept = buffers_to_keep(benchmark, call, sizes, layout, settings);
    bool held = true;
    std::vector<Carried> carried;
    for (const std::int64_t bytes : sizes) {
        choose_size(call, bytes);
        const std::string reason = obstacle(benchmark, call, layout, settings);
        if (reason.empty()) {
            const BlockType type(layout, call);
            std::optional<Buffers> own;
            if (!kept) own.emplace(benchmark, call, memory_of(settings.method));
            const Outcome outcome = run_size(benchmark, call, kept ? *kept : *own, settings, clock, setting, lines);
            held = outcome.held && held;
            carried.push_back(outcome.carried);
        } else if (call.rank == 0 && !settings.osu_format) {
            std::printf("%10lld left out: %s\n", static_cast<long long>(bytes), reason.c_str());
        }
    }
    if (call.rank == 0) std::fputs(footing(setting, carried, settings).c_str(), stdout);
    return held;
}

ExitCode run(const Settings& settings, const Ranks& ranks, Call& call) {
    std::vector<const Benchmark*> chosen;
    chosen.reserve(settings.benchmarks.size());
    for (const std::string& name : settings.benchmarks) chosen.push_back(&find_benchmark(name));
    require(settings.root < call.size,
            "--root " + std::to_string(settings.root) + ": expected a rank from 0 to " + std::to_string(call.size - 1));
    call.root = static_cast<int>(settings.root);
    call.window = static_cast<int>(settings.window);
    call.tests = static_cast<int>(settings.tests);
    call.partitions = static_cast<int>(settings.partitions);
    call.counter_a_node = settings.counters == "node";
    call.tasks = settings.tasks;
    call.task_ns = 1e3 * static_cast<double>(settings.task_us);
    call.seed = settings.seed;
    call.element = find_datatype(settings.datatype);
    call.synchronisation = find_synchronisation(settings.synchronisation).kind;
    const Layout layout(settings.layout);
    call.operation = find_operation(settings.operation);
    std::optional<JsonLines> lines = open_samples(settings.json, ranks);
    const PeersCall peers(settings.method, call);
    const std::vector<int> hosts = hosts_of(call.ranks);
    for (const Benchmark* benchmark : chosen) require_pairs(*benchmark, settings.pairs, hosts);

    const TickClock ticks(peers_estimator(settings.method) ? TimeSource::peer : best_time_source());
    const bool estimated = !peers_estimator(settings.method) || settings.separate_clocks;
    GlobalClock clock = estimated ? GlobalClock(ticks, call.ranks, settings.separate_clocks) : GlobalClock(ticks);
    Setting setting{.library = library_version(),
                    .transport = transport(),
                    .ranks = call.size,
                    .hosts = count_hosts(hosts),
                    .timer_ns = ticks.cost_ns()};
    if (call.rank == 0) std::fputs(run_heading(setting, settings).c_str(), stdout);
    bool held = true;
    for (const Benchmark* benchmark : chosen) {
        choose_pair(*benchmark, settings.pairs, hosts, call);
        held = run_benchmark(*benchmark, call, layout, settings, clock, setting, lines) && held;
    }
    if (!held && call.rank == 0) std::fputs("WRONG DATA: see \"verified\"\n", stdout);
    return held ? success : unverified;
}

ExitCode mpibench_program(const Settings& settings, const Ranks& ranks) {
    if (settings.list) {
        if (ranks.rank == 0) std::fputs(list_text().c_str(), stdout);
        return success;
    }
    Call call;
    call.ranks = ranks.communicator;
    call.rank = ranks.rank;
    call.size = ranks.count;
    call.init_ns = 1e9 * ranks.init_s;
    return run(settings, ranks, call);
}

}  // namespace

/// MPI is initialised without threads, as in the suites with which ww-mpibench is compared.
int main(int argc, char** argv) {
    const std::vector<Column> columns = all_columns();
    return run_workload<Settings>(argc, argv, mpibench_program, columns, MPI_THREAD_SINGLE);
}
