/// Makes traces of a halo exchange, and replays them, and prints what that took as JSON lines.
///
/// usage: simulate make FILE PX PY PZ ITERATIONS
///        simulate replay FILE THREADS EAGER_BYTES
///        simulate extrapolate RANKS FILE FILE FILE
///
/// The exchange is periodic in three dimensions: each iteration computes, posts six receives and six sends of 1 kB, and
/// waits for all. The named loop beside the replay adds up the times of the same calls in memory.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "extrapolate/extrapolation.hpp"
#include "simulate/replay.hpp"
#include "trace/writing/trace_writer.hpp"

namespace {

using namespace waywiser;

constexpr int kFaces = 6;
constexpr double kLatency_ns = 2500;
constexpr double kOverhead_ns = 150;
constexpr double kGap_ns = 100;
constexpr double kNs_per_byte = 0.1;
constexpr std::uint64_t kBytes = 1024;
constexpr std::uint64_t kEager_bytes = 16384;
constexpr std::uint64_t kComputation_ns = 10000;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

long peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

struct Grid {
    std::int64_t x, y, z;

    [[nodiscard]] std::int64_t ranks() const { return x * y * z; }

    /// Faces come in pairs: 0 and 1 are opposite, and so on.
    [[nodiscard]] std::int32_t neighbour(std::int64_t rank, int face) const {
        std::int64_t at[3] = {rank % x, rank / x % y, rank / x / y};
        const std::int64_t extent[3] = {x, y, z};
        std::int64_t& moved = at[face / 2];
        moved = (moved + (face % 2 == 0 ? 1 : extent[face / 2] - 1)) % extent[face / 2];
        return static_cast<std::int32_t>(at[0] + x * (at[1] + y * at[2]));
    }
};

void make(const std::string& path, const Grid& grid, std::uint64_t iterations) {
    trace::TraceWriter writer(path);
    trace::TraceJob& job = writer.job();
    job.world_size = grid.ranks();
    job.hosts.push_back({.host = "host"});
    const trace::TraceObject world{.context = 1,
                                   .size = grid.ranks(),
                                   .name = "MPI_COMM_WORLD",
                                   .members = {{.first = 0, .stride = 1, .count = grid.ranks()}},
                                   .own_group = {}};
    const std::uint32_t object = writer.object(world);
    const std::uint32_t irecv = writer.function("MPI_Irecv");
    const std::uint32_t isend = writer.function("MPI_Isend");
    const std::uint32_t waitall = writer.function("MPI_Waitall");
    std::vector<std::int32_t> requests(2 * kFaces);
    std::vector<trace::Completion> completed(2 * kFaces);
    for (std::int32_t i = 0; i < 2 * kFaces; ++i) {
        requests[static_cast<std::size_t>(i)] = i;
        completed[static_cast<std::size_t>(i)] = {.index = i, .source = trace::kNone, .tag = trace::kNone};
    }
    for (std::int64_t rank = 0; rank < grid.ranks(); ++rank) {
        job.ranks.push_back({.rank = rank, .objects = {object}, .ending = trace::Ending::finalised});
        writer.begin_stream(rank, 0);
        std::vector<std::uint32_t> calls;
        for (int face = 0; face < kFaces; ++face) {
            trace::Parameters receive{.function = irecv, .action = trace::Action::receive, .object = 0};
            receive.source = grid.neighbour(rank, face);
            receive.source_tag = face ^ 1;
            receive.request = face;
            receive.posted = kBytes;
            calls.push_back(writer.signature(receive));
        }
        for (int face = 0; face < kFaces; ++face) {
            trace::Parameters send{.function = isend, .action = trace::Action::send, .object = 0};
            send.peer = grid.neighbour(rank, face);
            send.tag = face;
            send.request = kFaces + face;
            send.bytes = kBytes;
            calls.push_back(writer.signature(send));
        }
        trace::Parameters wait{.function = waitall, .action = trace::Action::complete};
        wait.requests = requests;
        wait.completed = completed;
        calls.push_back(writer.signature(wait));
        std::uint64_t now = 0;
        auto state = static_cast<std::uint64_t>(rank);
        for (std::uint64_t i = 0; i < iterations; ++i) {
            now += kComputation_ns;
            for (const std::uint32_t call : calls) {
                // Knuth's generator, TAOCP 2, 3.3.4: times scatter, so that they take room in the file.
                state = state * 6364136223846793005U + 1442695040888963407U;
                now += 40 + (state >> 59U);
                const std::uint64_t length = (call == calls.back() ? 4000 : 200) + (state >> 33U) % 128;
                writer.append(call, {.begin_ns = now, .end_ns = now + length});
                now += length;
            }
        }
    }
    writer.finish();
}

using Replay = std::function<simulate::Prediction(const simulate::Settings&)>;

Replay of_file(const std::string& path) {
    const auto file = std::make_shared<const trace::TraceFile>(path);
    return [file](const simulate::Settings& settings) { return simulate::replay(*file, settings); };
}

/// Replays an extrapolated job, whose calls are generated during the replay.
Replay of_pattern(const std::vector<std::string>& paths, std::int64_t ranks) {
    const auto pattern = std::make_shared<const extrapolate::Pattern>(extrapolate::recognise(paths));
    const auto extrapolation =
        std::make_shared<extrapolate::Extrapolation>(*pattern, ranks, std::nullopt, simulate::keeps_length);
    return [pattern, extrapolation](const simulate::Settings& settings) {
        return simulate::replay(extrapolation->job(), *extrapolation, settings);
    };
}

int run(const std::function<Replay()>& open, int threads, std::uint64_t eager_bytes) {
    simulate::Settings settings;
    settings.within = settings.between = {.costs = {{.up_to_bytes = std::nullopt,
                                                     .latency_ns = kLatency_ns,
                                                     .overhead_ns = kOverhead_ns,
                                                     .gap_ns = kGap_ns,
                                                     .ns_per_byte = kNs_per_byte}},
                                          .eager_limit_bytes = eager_bytes};
    settings.asynchronous = false;
    settings.threads = threads;
    timespec begin{};
    timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const double cpu = cpu_seconds();
    const Replay replay = open();
    const double opened = cpu_seconds();
    const simulate::Prediction found = replay(settings);
    const double over = cpu_seconds();
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double wall =
        static_cast<double>(end.tv_sec - begin.tv_sec) + 1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
    for (const std::string& sentence : found.remarks) std::fprintf(stderr, "%s\n", sentence.c_str());

    std::vector<double> times(1 << 20, 1.0);
    const double begin_loop = cpu_seconds();
    double sum = 0;
    for (int round = 0; round < 32; ++round) {
        for (const double ns : times) sum += ns;
    }
    const double loop = cpu_seconds() - begin_loop;
    std::printf(
        R"({"messages": %llu, "ranks": %zu, "makespan_ns": %.3f, "open_cpu_seconds": %.6f, "cpu_seconds": %.6f, )"
        R"("wall_seconds": %.6f, "peak_bytes": %ld, "sums_per_second": %.0f, "sum": %.0f})"
        "\n",
        static_cast<unsigned long long>(found.messages), found.ranks.size(), found.makespan_ns, opened - cpu,
        over - cpu, wall, peak_bytes(), 32.0 * static_cast<double>(times.size()) / loop, sum);
    return found.remarks.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 7 && std::strcmp(argv[1], "make") == 0) {
        make(argv[2], {.x = std::atoll(argv[3]), .y = std::atoll(argv[4]), .z = std::atoll(argv[5])},
             std::strtoull(argv[6], nullptr, 10));
        return 0;
    }
    if (argc == 5 && std::strcmp(argv[1], "replay") == 0) {
        return run([&] { return of_file(argv[2]); }, std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10));
    }
    if (argc == 6 && std::strcmp(argv[1], "extrapolate") == 0) {
        return run([&] { return of_pattern({argv + 3, argv + argc}, std::atoll(argv[2])); }, 1, kEager_bytes);
    }
    return 2;
}
