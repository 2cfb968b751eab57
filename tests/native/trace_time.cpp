/// Clocks of hosts and iterations of a program, of traces whose truth is known.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "explain/waits.hpp"
#include "trace/writing/trace_writer.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::trace;

int failures = 0;

void check(bool holds, const char* what, double value) {
    if (holds) return;
    std::printf("FAILED: %s (%g)\n", what, value);
    ++failures;
}

Parameters call(TraceWriter& writer, const char* function, Action action) {
    Parameters parameters;
    parameters.function = writer.function(function);
    parameters.action = action;
    parameters.object = 0;
    return parameters;
}

void world(TraceWriter& writer, std::int64_t ranks, std::uint64_t end_ns) {
    TraceObject object;
    object.context = 1;
    object.size = ranks;
    object.members = {{.first = 0, .stride = 1, .count = ranks}};
    const std::uint32_t number = writer.object(object);
    TraceJob& job = writer.job();
    job.world_size = ranks;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        TraceRank one;
        one.rank = rank;
        one.host = static_cast<std::uint32_t>(rank);
        one.objects = {number};
        one.end_ns = end_ns;
        job.ranks.push_back(one);
        job.hosts.push_back({.host = "n" + std::to_string(rank)});
    }
}

/// A clock that shows (time - ahead) / (1 + drift).
struct Clock {
    double ahead_ns;
    double drift;

    [[nodiscard]] std::uint64_t at(double ns) const {
        return static_cast<std::uint64_t>(std::llround((ns - ahead_ns) / (1 + drift)));
    }
};

constexpr double kFastest_ns = 1500;
constexpr int kRounds = 2000;
constexpr double kRound_ns = 1e6;

/// Three hosts in a row: 0 and 1 exchange messages, 1 and 2 meet in barriers of all.
void write_exchanges(const std::string& path, const std::vector<Clock>& clocks, bool barriers) {
    TraceWriter writer(path);
    world(writer, 3, static_cast<std::uint64_t>(kRounds * kRound_ns));
    for (std::int64_t rank = 0; rank < 3; ++rank) {
        std::mt19937_64 random(7);  // the same delays on all ranks
        std::exponential_distribution<double> jitter(1 / 20e3);
        writer.begin_stream(rank, 0);
        const Clock& clock = clocks[static_cast<std::size_t>(rank)];
        const auto add = [&](const Parameters& parameters, double begin, double end) {
            writer.append(writer.signature(parameters), {.begin_ns = clock.at(begin), .end_ns = clock.at(end)});
        };
        for (int round = 0; round < kRounds; ++round) {
            const double begin = 1e6 + round * kRound_ns;
            const double there = begin + kFastest_ns + jitter(random);
            const double back = there + 1000 + kFastest_ns + jitter(random);
            const double met = begin + 500e3 + kFastest_ns;
            Parameters send = call(writer, "MPI_Send", Action::send);
            send.tag = 0;
            Parameters receive = call(writer, "MPI_Recv", Action::receive);
            receive.source_tag = 0;
            if (rank == 0) {
                send.peer = receive.source = 1;
                add(send, begin, begin + 300);
                add(receive, begin + 400, back);
            } else if (rank == 1) {
                send.peer = receive.source = 0;
                add(receive, begin, there);
                add(send, there + 1000, there + 1300);
            }
            if (!barriers) continue;
            const double come = begin + 500e3 - (rank == round % 3 ? 0 : jitter(random));
            add(call(writer, "MPI_Barrier", Action::collective), come, met);
        }
    }
    writer.finish();
}

void check_clocks(const std::string& path) {
    const std::vector<Clock> clocks{{0, 0}, {250e3, 20e-6}, {-40e3, 0}};
    write_exchanges(path, clocks, true);
    const auto found = explain::estimate_clocks(TraceFile(path));
    for (std::size_t host = 0; host < clocks.size(); ++host) {
        for (const double ns : {1e6, 1e9, 2e9}) {
            const double local = static_cast<double>(clocks[host].at(ns));
            const auto& clock = found[host];
            const double common = local + static_cast<double>(clock.offset_ns) +
                                  clock.drift * (local - static_cast<double>(clock.reference_ns));
            const double error = std::abs(common - ns);
            check(error <= static_cast<double>(clock.uncertainty_ns) + 2, "a clock is off by more than it says", error);
        }
    }
    check(found[1].uncertainty_ns < 2 * kFastest_ns, "messages both ways leave so much open",
          static_cast<double>(found[1].uncertainty_ns));
    check(found[0].offset_ns == 0 && found[0].drift == 0, "the first host's clock stays", 0);
    check(std::abs(found[2].drift) < 1e-8, "a drift that nothing shows", found[2].drift);
    check(found[2].method == "messages in both directions", "barriers bind clocks", 0);
}

void check_unbound_clock(const std::string& path) {
    write_exchanges(path, {{0, 0}, {250e3, 0}, {-40e3, 0}}, false);
    const auto found = explain::estimate_clocks(TraceFile(path));
    check(found[2].offset_ns == 0 && found[2].method == "same clock", "a host without messages keeps its clock", 0);
}

/// `steps` steps, every eighth with one call more; irregular: each with calls of its own.
void write_steps(const std::string& path, int steps, int substeps, bool irregular) {
    TraceWriter writer(path);
    world(writer, 1, static_cast<std::uint64_t>(steps) * 1000);
    writer.begin_stream(0, 0);
    std::uint64_t now = 0;
    const auto add = [&](const char* function, bool found = true) {
        Parameters parameters = call(writer, function, Action::none);
        parameters.found = found;
        writer.append(writer.signature(parameters), {.begin_ns = now, .end_ns = now + 10});
        now += 100;
    };
    std::mt19937_64 random(3);
    add("MPI_Init");
    for (int i = 0; i < 5; ++i) add("MPI_Comm_rank");
    for (int step = 0; step < steps; ++step) {
        add("MPI_Start");
        for (auto polls = random() % 3; polls > 0; --polls) add("MPI_Test", false);
        for (int substep = 0; substep < substeps; ++substep) {
            add("MPI_Sendrecv");
            add("MPI_Waitall");
        }
        add("MPI_Allreduce");
        if (irregular || step % 8 == 7) {
            for (auto n = irregular ? random() % 50 : 1; n > 0; --n) {
                add(irregular ? std::to_string(random() % 20).c_str() : "MPI_Bcast");
            }
        }
    }
    add("MPI_Finalize");
    writer.finish();
}

/// Each step has four sends and receives of the same place, of sizes that vary; every tenth has more calls.
void write_faces(const std::string& path, int steps) {
    TraceWriter writer(path);
    world(writer, 1, static_cast<std::uint64_t>(steps) * 12000);
    writer.begin_stream(0, 0);
    std::uint64_t now = 0;
    std::mt19937_64 random(5);
    const auto add = [&](const char* function, std::uint64_t bytes) {
        Parameters parameters = call(writer, function, Action::none);
        parameters.bytes = bytes;
        writer.append(writer.signature(parameters), {.begin_ns = now, .end_ns = now + 10});
        now += 100;
    };
    add("MPI_Init", 0);
    for (int step = 0; step < steps; ++step) {
        now += 9000;
        for (int face = 0; face < 4; ++face) {
            for (const char* function : {"MPI_Irecv", "MPI_Send", "MPI_Wait"}) add(function, random() % 100);
        }
        add("MPI_Get_count", 0);
        add("MPI_Get_count", 1);
        if (step % 10 == 9) add("MPI_Allreduce", 8);
    }
    add("MPI_Finalize", 0);
    writer.finish();
}

void check_iterations(const std::string& path) {
    constexpr int kSteps = 100;
    write_steps(path, kSteps, 2, false);
    const TraceFile trace(path);
    const explain::Iterations found = explain::find_iterations(trace);
    check(found.rank == 0, "iterations are found", 0);
    check(found.begin_ns.size() == kSteps + 1, "as many as steps, and an end",
          static_cast<double>(found.begin_ns.size()));
    check(!found.begin_ns.empty() && trace.job().functions[found.first.function] == "MPI_Start",
          "the step's first call", found.first.function);
    check(!found.begin_ns.empty() && found.begin_ns[0] == 600, "the first step's begin",
          static_cast<double>(found.begin_ns[0]));

    write_faces(path, kSteps);
    const explain::Iterations faces = explain::find_iterations(TraceFile(path));
    check(faces.begin_ns.size() == kSteps + 1, "steps that pass each place several times",
          static_cast<double>(faces.begin_ns.size()));
    check(faces.begin_ns.size() > 2 && faces.begin_ns[2] - faces.begin_ns[1] == 14 * 100 + 9000, "such a step's length",
          0);

    write_steps(path, kSteps, 2, true);
    check(explain::find_iterations(TraceFile(path)).rank == kNone, "no iterations where none is like another", 0);
    write_steps(path, 2, 1, false);
    check(explain::find_iterations(TraceFile(path)).rank == kNone, "two steps are no loop", 0);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string path = std::string(argc > 1 ? argv[1] : ".") + "/trace_time.ww";
    check_clocks(path);
    check_unbound_clock(path);
    check_iterations(path);
    if (failures == 0) std::puts("clocks and iterations are as planted");
    return failures == 0 ? 0 : 1;
}
