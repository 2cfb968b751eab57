/// Writes and reads a trace of a made program, and prints what that took as JSON lines.
///
/// usage: trace_file FILE solver|dynamics RANKS ITERATIONS
///
/// Times are log-normal about the medians of ww-minife and LAMMPS on one node, and one call in 200 is
/// 20 times as long. The named loop beside them makes the same calls, or sums them, and no more.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "trace/encoding/block.hpp"
#include "trace/encoding/trace_file.hpp"
#include "trace/reading/trace_reader.hpp"
#include "trace/writing/trace_writer.hpp"

namespace {

using namespace waywiser::trace;

constexpr int kNeighbours = 6;
constexpr std::size_t kPlaces = 40;  ///< more than the numbers of the steps below
constexpr std::size_t kJitters = std::size_t{1} << 20U;

/// A call with the medians of its times, and how far these scatter (sigma of their logarithm).
struct Step {
    Parameters parameters;
    double gap_ns;
    double gap_sigma;
    double length_ns;
    double length_sigma;
};

Parameters call(std::uint32_t site, Action action) {
    Parameters parameters;
    parameters.function = parameters.site = site;
    parameters.action = action;
    parameters.object = 0;
    return parameters;
}

/// A halo exchange, and its requests completed.
void add_exchange(std::vector<Step>& steps, std::uint32_t site, std::int32_t rank, std::int32_t ranks) {
    static const std::vector<std::int32_t> requests{0, 1, 2, 3, 4, 5};
    for (std::int32_t i = 0; i < kNeighbours; ++i) {
        Parameters receive = call(site, Action::receive);
        receive.source = (rank + i + 1) % ranks;
        receive.request = i;
        receive.posted = 800;
        steps.push_back({receive, i > 0 ? 60.0 : 30000.0, i > 0 ? 0.15 : 0.03, 250, 0.2});
    }
    for (std::int32_t i = 0; i < kNeighbours; ++i) {
        Parameters send = call(site + 1, Action::send);
        send.peer = (rank + ranks - i - 1) % ranks;
        send.bytes = 800;
        steps.push_back({send, i > 0 ? 300.0 : 90.0, 0.2, 600, 0.3});
    }
    Parameters wait = call(site + 2, Action::complete);
    wait.requests = requests;
    steps.push_back({wait, 80, 0.2, 4000, 0.8});
}

/// What a rank does: steps by number, in an order that `each` gives.
struct Program {
    std::vector<Step> steps;
    std::size_t regular = 0;  ///< steps of an iteration; the others come after some of them

    Program(const std::string& name, std::int32_t rank, std::int32_t ranks) {
        add_exchange(steps, 1, rank, ranks);
        for (const double gap : {300000.0, 60000.0}) {
            Parameters sum = call(4, Action::collective);
            sum.bytes = 8;
            steps.push_back({sum, gap, 0.02, 8000, 0.6});
        }
        regular = steps.size();
        if (name == "solver") return;
        for (std::uint32_t site = 10; site < 40; site += 10) add_exchange(steps, site, rank, ranks);
    }

    void each(std::uint64_t iterations, const std::function<void(std::size_t, bool)>& make) const {
        std::mt19937_64 random(1);
        std::uint64_t until_longer = 10;
        for (std::uint64_t i = 0; i < iterations; ++i) {
            const bool longer = regular < steps.size() && --until_longer == 0;
            for (std::size_t step = 0; step < (longer ? steps.size() : regular); ++step) make(step, longer);
            if (longer) until_longer = 5 + random() % 10;
        }
    }
};

class Times {
public:
    explicit Times(const std::vector<Step>& steps) : steps_(steps) {
        std::mt19937_64 random(2);
        std::normal_distribution<double> normal;
        for (double& jitter : jitters_) jitter = normal(random);
        for (std::size_t i = 0; i < steps.size() * kSamples; ++i) {
            const Step& step = steps[i / kSamples];
            gaps_.push_back(static_cast<std::uint32_t>(step.gap_ns * std::exp(step.gap_sigma * jitters_[i])));
            const double far = random() % 200 == 0 ? 20 : 1;
            const double jitter = std::exp(step.length_sigma * jitters_[i + kJitters / 2]);
            lengths_.push_back(static_cast<std::uint32_t>(far * step.length_ns * jitter));
        }
    }

    TracedCall next(std::size_t step) {
        // One of the samples, at random (Knuth's generator, TAOCP 2, 3.3.4).
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        const std::size_t sample = step * kSamples;
        TracedCall traced_call;
        traced_call.begin_ns = now_ + gaps_[sample + (state_ >> 40U) % kSamples];
        traced_call.end_ns = now_ = traced_call.begin_ns + lengths_[sample + (state_ >> 20U) % kSamples];
        return traced_call;
    }

private:
    static constexpr std::size_t kSamples = 256;
    const std::vector<Step>& steps_;
    std::vector<double> jitters_ = std::vector<double>(kJitters);
    std::vector<std::uint32_t> gaps_;
    std::vector<std::uint32_t> lengths_;
    std::uint64_t state_ = 3;
    std::uint64_t now_ = 0;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

long peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

void report(const char* step, double seconds, std::uint64_t calls, std::uint64_t checksum) {
    std::printf(R"({"step": "%s", "cpu_seconds": %.6f, "calls": %llu, "checksum": %llu, "peak_bytes": %ld})"
                "\n",
                step, seconds, static_cast<unsigned long long>(calls), static_cast<unsigned long long>(checksum),
                peak_bytes());
}

void report_sizes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(kTraceMagic.size()));
    std::uint64_t tables = 0;  // of the job, and the description
    std::uint64_t sequence = 0;
    std::uint64_t columns = 0;
    BlockHeader header{};
    while (file.read(reinterpret_cast<char*>(&header), sizeof header)) {
        const auto kind = static_cast<TraceBlock>(header.kind);
        const bool of_calls = kind == TraceBlock::index || kind == TraceBlock::calls;
        const bool of_sequence = kind >= TraceBlock::signatures && kind <= TraceBlock::streams;
        (of_calls ? columns : of_sequence ? sequence : tables) += sizeof header + header.payload_bytes;
        file.seekg(static_cast<std::streamoff>(header.payload_bytes), std::ios::cur);
    }
    std::printf(R"({"step": "size", "tables_bytes": %llu, "sequence_bytes": %llu, "times_bytes": %llu})"
                "\n",
                static_cast<unsigned long long>(tables), static_cast<unsigned long long>(sequence),
                static_cast<unsigned long long>(columns));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const std::string path = argv[1];
    const std::string name = argv[2];
    const auto ranks = static_cast<std::int32_t>(std::atoi(argv[3]));
    const std::uint64_t iterations = std::strtoull(argv[4], nullptr, 10);

    TraceWriter writer(path);
    writer.job().world_size = ranks;
    // Every call has a function and a place in the program: the reader refuses a trace without them.
    writer.job().functions.resize(kPlaces);
    writer.job().call_sites.resize(kPlaces);
    const TraceObject world{
        .context = 1, .size = ranks, .name = "MPI_COMM_WORLD", .members = {{0, 1, ranks}}, .own_group = {}};
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        writer.job().ranks.push_back({.rank = rank, .objects = {writer.object(world)}});
    }
    double seconds = 0;
    double making_seconds = 0;
    std::uint64_t calls = 0;
    std::uint64_t checksum = 0;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const Program program(name, rank, ranks);
        Times alone(program.steps);
        double begin = cpu_seconds();
        program.each(iterations, [&](std::size_t step, bool) {
            checksum += alone.next(step).end_ns;
            ++calls;
        });
        making_seconds += cpu_seconds() - begin;
        Times times(program.steps);
        begin = cpu_seconds();
        writer.begin_stream(rank, 0);
        std::vector<std::uint32_t> signatures;
        for (const Step& step : program.steps) signatures.push_back(writer.signature(step.parameters));
        program.each(iterations, [&](std::size_t step, bool) { writer.append(signatures[step], times.next(step)); });
        seconds += cpu_seconds() - begin;
    }
    const double begin_finish = cpu_seconds();
    writer.finish();
    report("make", making_seconds, calls, checksum);
    report("write", seconds + cpu_seconds() - begin_finish, calls, checksum);

    calls = checksum = 0;
    double begin = cpu_seconds();
    const TraceFile file(path);
    std::vector<TracedCall> first;  // of the first rank, in memory
    std::uint64_t bytes = 0;
    for (std::size_t stream = 0; stream < file.job().streams.size(); ++stream) {
        for (Cursor cursor = file.cursor(stream); cursor.next(); ++calls) {
            checksum += cursor.call().end_ns;
            bytes += cursor.parameters().bytes;
        }
    }
    report("read", cpu_seconds() - begin, calls, checksum);
    for (const std::string& sentence : file.job().lost) std::fprintf(stderr, "%s\n", sentence.c_str());
    if (bytes == 0 || !file.job().lost.empty()) return 1;

    Cursor cursor = file.cursor(0);
    while (first.size() < kJitters && cursor.next()) first.push_back(cursor.call());
    begin = cpu_seconds();
    checksum = 0;
    for (int round = 0; round < 16; ++round) {
        for (const TracedCall& traced_call : first) checksum += traced_call.end_ns;
    }
    report("sum", cpu_seconds() - begin, 16 * first.size(), checksum);
    report_sizes(path);
    return 0;
}
