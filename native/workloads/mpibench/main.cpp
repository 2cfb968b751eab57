// ww-mpibench: times of MPI's calls, iteration by iteration.
#include "base/error.hpp"
#include "base/json_lines.hpp"
#include "workloads/mpibench/library.hpp"
#include "workloads/mpibench/overlap.hpp"
#include "workloads/mpibench/pairs.hpp"
#include "workloads/mpibench/report.hpp"
#include "workloads/mpibench/validation.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

namespace {

using namespace waywiser;
using namespace waywiser::mpibench;

enum ExitCode { success = 0, wrong_data = 1, refused = 2 };

/// Rank 0 opens the file before the work, and tells the others whether to go on.
std::optional<JsonLines> open_json(const Settings& settings, const Call& call) {
    std::optional<JsonLines> lines;
    std::string refusal;
    int opened = 1;
    if (call.rank == 0 && !settings.json.empty()) {
        try {
            lines.emplace(settings.json);
        } catch (const InvalidInput& error) {
            refusal = error.what();
            opened = 0;
        }
    }
    MPI_Bcast(&opened, 1, MPI_INT, 0, call.ranks);
    require(opened != 0, refusal);
    return lines;
}

/// Iterations as OSU's programs have them by default, but ten times as many for bandwidths' percentiles to exist.
Plan plan_of(const Benchmark& benchmark, std::int64_t bytes, const Settings& settings) {
    if (benchmark.run == nullptr) return {.method = settings.method, .iterations = 1, .warmup = 0, .check = false};
    const std::int64_t few = benchmark.directions > 0 ? 100 : benchmark.group == Group::all ? 1000 : 10'000;
    const std::int64_t standard = bytes > 8192 ? few / 10 : few;
    const std::int64_t iterations = settings.iterations > 0 ? settings.iterations : standard;
    return {.method = settings.method,
            .iterations = iterations,
            .warmup = settings.warmup >= 0 ? settings.warmup : (iterations + 9) / 10,
            .check = settings.check};
}

std::size_t buffer_bytes(Blocks blocks, const Call& call) {
    return static_cast<std::size_t>(count_of(blocks, call)) * static_cast<std::size_t>(call.bytes);
}

/// Measures one size. \returns false if the data were wrong
bool run_size(const Benchmark& benchmark, Call& call, const Settings& settings, GlobalClock& clock, Setting& setting,
              std::optional<JsonLines>& lines) {
    Buffer send(buffer_bytes(benchmark.sends, call));
    Buffer receive(buffer_bytes(benchmark.receives, call));
    call.send = send.data();
    call.receive = receive.data();
    if (benchmark.prepare != nullptr) benchmark.prepare(call);
    if (benchmark.make != nullptr) benchmark.make(call);
    clock.synchronise();
    if (settings.separate_clocks) setting.clock_spread_ns = clock.spread_ns(call.ranks);
    const Plan plan = affordable(plan_of(benchmark, call.bytes, settings), static_cast<double>(settings.seconds),
                                 benchmark, call, clock);
    const Times times = measure(benchmark, call, plan, clock);
    Result result = collect(benchmark, call, plan, times);
    if (benchmark.figures != nullptr) result.figures = benchmark.figures(call, plan.iterations, clock.ticks());
    if (benchmark.overlaps) result.overlap = measure_overlap(benchmark, call, plan, clock);
    if (call.request != MPI_REQUEST_NULL) MPI_Request_free(&call.request);
    if (benchmark.release != nullptr) benchmark.release(call);
    const double error = clock.error_ns();
    MPI_Reduce(&error, &setting.clock_error_ns, 1, MPI_DOUBLE, MPI_MAX, 0, call.ranks);
    if (call.rank == 0) {
        std::fputs(row(benchmark, result, settings).c_str(), stdout);
        std::fflush(stdout);
        if (lines) lines->write(to_json(benchmark, result, call, setting, settings));
    }
    return result.verified.value_or(true);
}

/// Why a size cannot be measured; empty if it can.
std::string obstacle(const Benchmark& benchmark, const Call& call, const Settings& settings) {
    if (call.bytes % call.datatype.bytes != 0) return "no whole number of elements";
    if (benchmark.splits && call.count < call.size) return "less than one element for each rank";
    const std::size_t most = std::max(buffer_bytes(benchmark.sends, call), buffer_bytes(benchmark.receives, call));
    if (most > std::numeric_limits<int>::max()) return "MPI counts to 2147483647 only";
    const std::size_t needed = buffer_bytes(benchmark.sends, call) + buffer_bytes(benchmark.receives, call);
    if (needed > static_cast<std::size_t>(settings.memory_limit_mb) * 1'000'000) return "above --memory-limit-mb";
    return "";
}

bool run_benchmark(const Benchmark& benchmark, Call& call, const Settings& settings, GlobalClock& clock,
                   Setting& setting, std::optional<JsonLines>& lines) {
    if (call.rank == 0) std::fputs(heading(benchmark, call, settings).c_str(), stdout);
    const std::vector<std::int64_t> no_size{0};
    bool held = true;
    for (const std::int64_t bytes : benchmark.sends == Blocks::none ? no_size : settings.sizes) {
        call.bytes = bytes;
        call.count = static_cast<int>(bytes / call.datatype.bytes);
        const std::string reason = obstacle(benchmark, call, settings);
        if (reason.empty()) {
            held = run_size(benchmark, call, settings, clock, setting, lines) && held;
        } else if (call.rank == 0 && !settings.osu_format) {
            std::printf("%10lld left out: %s\n", static_cast<long long>(bytes), reason.c_str());
        }
    }
    return held;
}

ExitCode run(const Settings& settings, Call& call) {
    std::vector<const Benchmark*> chosen;
    chosen.reserve(settings.benchmarks.size());
    for (const std::string& name : settings.benchmarks) chosen.push_back(&find_benchmark(name));
    require(settings.root < call.size, "--root " + std::to_string(settings.root) + " is none of the " +
                                           std::to_string(call.size) + " ranks, which count from 0");
    call.root = static_cast<int>(settings.root);
    call.window = static_cast<int>(settings.window);
    call.datatype = find_datatype(settings.datatype);
    call.operation = find_operation(settings.operation);
    std::optional<JsonLines> lines = open_json(settings, call);

    const TickClock ticks(peers_estimator(settings.method) ? TimeSource::peer : best_time_source());
    GlobalClock clock(ticks, call.ranks, settings.separate_clocks);
    Setting setting{.library = library_version(),
                    .transport = transport(),
                    .ranks = call.size,
                    .hosts = count_hosts(call.ranks),
                    .timer_ns = ticks.cost_ns()};
    if (call.rank == 0) std::fputs(run_heading(setting, settings).c_str(), stdout);
    bool held = true;
    for (const Benchmark* benchmark : chosen) {
        choose_pair(*benchmark, settings.pairs, call);
        held = run_benchmark(*benchmark, call, settings, clock, setting, lines) && held;
    }
    if (!held && call.rank == 0) std::fputs("WRONG DATA: see \"verified\"\n", stdout);
    return held ? success : wrong_data;
}

/// A refusal is the same on all ranks, since all see the same command line; rank 0 says why.
ExitCode guarded(std::span<const char* const> arguments, Call& call) {
    try {
        const Settings settings = read_settings(arguments);
        if (settings.help || settings.list) {
            if (call.rank == 0) std::fputs((settings.help ? help_text() : list_text()).c_str(), stdout);
            return success;
        }
        return run(settings, call);
    } catch (const InvalidInput& error) {
        if (call.rank == 0) std::fprintf(stderr, "ww-mpibench: %s\n", error.what());
        return refused;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::int64_t start_ns = monotonic_ns();
    MPI_Init(&argc, &argv);
    const std::int64_t end_ns = monotonic_ns();
    Call call;
    call.ranks = MPI_COMM_WORLD;
    call.init_ns = static_cast<double>(end_ns - start_ns);
    MPI_Comm_rank(call.ranks, &call.rank);
    MPI_Comm_size(call.ranks, &call.size);
    ExitCode code = success;
    try {
        code = guarded({argv + 1, static_cast<std::size_t>(argc - 1)}, call);
    } catch (const std::exception& error) {  // out of memory: the others wait for this rank
        std::fprintf(stderr, "ww-mpibench: rank %d: %s\n", call.rank, error.what());
        MPI_Abort(call.ranks, wrong_data);
    }
    MPI_Finalize();
    return code;
}
