/// The levels of detail of a timeline against the slow, obvious way: cells hold each nanosecond of the
/// trace once, the longest calls are the longest, a window holds what touches it, and an arrow goes from
/// a send to its receive. With arguments it writes a made-up trace: FILE RANKS ITERATIONS.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "explain/timeline.hpp"
#include "tests/native/synthetic_trace.hpp"

namespace {

using namespace waywiser;
using explain::Kind;
using explain::Timeline;
using trace::TraceFile;

int faults = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("%s\n", what.c_str());
    ++faults;
}

struct Call {
    std::size_t stream;
    trace::TracedCall call;
    Kind kind;
};

std::vector<Call> calls_of(const TraceFile& file) {
    const std::map<std::string, Kind> kinds{
        {"MPI_Isend", Kind::point_to_point}, {"MPI_Irecv", Kind::point_to_point}, {"MPI_Test", Kind::completion},
        {"MPI_Waitall", Kind::completion},   {"MPI_Allreduce", Kind::collective}, {"MPI_Put", Kind::one_sided},
        {"MPI_File_write", Kind::file},      {"MPI_Init", Kind::other},           {"MPI_Finalize", Kind::other}};
    std::vector<Call> calls;
    for (std::size_t stream = 0; stream < file.job().streams.size(); ++stream) {
        auto cursor = file.cursor(stream);
        while (cursor.next()) {
            const auto& name = file.job().functions[cursor.parameters().function];
            calls.push_back({.stream = stream, .call = cursor.call(), .kind = kinds.at(name)});
        }
    }
    return calls;
}

std::uint64_t overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t low = std::max(begin, from);
    const std::uint64_t high = std::min(end, to);
    return high > low ? high - low : 0;
}

using Times = std::array<std::uint64_t, explain::kKinds>;

/// Time of streams `first` to `last` in a stretch of time, without polls.
Times times_in(const TraceFile& file, const std::vector<Call>& calls, std::size_t first, std::size_t last,
               std::uint64_t from, std::uint64_t to) {
    Times times{};
    for (std::size_t i = first; i < last; ++i)
        times[0] += overlap(file.job().streams[i].begin_ns, file.job().streams[i].end_ns, from, to);
    for (const auto& [stream, call, kind] : calls) {
        if (stream < first || stream >= last) continue;
        const std::uint64_t ns = overlap(call.begin_ns, call.end_ns, from, to);
        times[static_cast<std::size_t>(kind)] += ns;
        times[0] -= ns;
    }
    return times;
}

void cells_hold_every_nanosecond(const TraceFile& file, const explain::TimelineLimits& limits) {
    const Timeline found_timeline = explain::timeline(file, limits);
    const auto calls = calls_of(file);
    const std::size_t streams = file.job().streams.size();
    for (const auto& grid : found_timeline.grids) {
        expect(std::size_t{grid.rows} * grid.together >= streams, "rows are missing");
        expect(grid.ns.size() == std::size_t{grid.rows} * grid.bins * explain::kKinds, "cells are missing");
        for (std::size_t row = 0; row < grid.rows; ++row) {
            for (std::size_t bin = 0; bin < grid.bins; ++bin) {
                const std::uint64_t from = found_timeline.begin_ns + bin * grid.bin_ns;
                const std::uint64_t to = std::min(found_timeline.end_ns, from + grid.bin_ns);
                const std::size_t first = row * grid.together;
                const auto expected = times_in(file, calls, first, std::min(streams, first + grid.together), from, to);
                const auto* found = &grid.ns[(row * grid.bins + bin) * explain::kKinds];
                if (std::equal(expected.begin(), expected.end(), found)) continue;
                return expect(false,
                              "row " + std::to_string(row) + ", bin " + std::to_string(bin) + " has wrong times");
            }
        }
    }
}

void the_longest_calls_are_shown(const TraceFile& file, const explain::TimelineLimits& limits) {
    const Timeline found_timeline = explain::timeline(file, limits);
    std::multiset<std::tuple<std::size_t, std::uint64_t, std::uint64_t>> touching;
    for (const auto& [stream, call, kind] : calls_of(file)) {
        const bool inside =
            call.begin_ns < limits.end_ns && (call.begin_ns >= limits.begin_ns || call.end_ns > limits.begin_ns);
        if (inside) touching.emplace(stream, call.begin_ns, call.end_ns);
    }
    expect(found_timeline.all_calls == touching.size(), "the window has " + std::to_string(touching.size()) +
                                                            " calls, not " + std::to_string(found_timeline.all_calls));
    expect(found_timeline.calls.size() == std::min(limits.calls, touching.size()), "calls are missing");
    for (const auto& call : found_timeline.calls) {
        const auto found = touching.find({call.stream, call.begin_ns, call.end_ns});
        expect(found != touching.end(), "a call is shown that is not there, or twice");
        expect(call.end_ns - call.begin_ns >= found_timeline.longest_merged_ns, "a longer call is not shown");
        if (found != touching.end()) touching.erase(found);
    }
    std::uint64_t longest = 0;
    for (const auto& [_, begin, end] : touching) longest = std::max(longest, end - begin);
    expect(longest == found_timeline.longest_merged_ns, "the longest merged call is not told");
    expect(
        std::ranges::is_sorted(found_timeline.calls, {}, [](const auto& c) { return std::pair(c.stream, c.begin_ns); }),
        "calls are not in order");
}

void arrows_go_from_sends_to_receives(const TraceFile& file, std::int64_t ranks, std::int64_t iterations) {
    const Timeline found_timeline = explain::timeline(file);
    const auto simulated = synthetic::simulated(ranks, iterations);
    std::multiset<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>> expected;
    for (const auto& step : simulated) {
        for (std::size_t r = 0; r < step.size(); ++r) {
            for (std::size_t k = 0; k < 2; ++k) {
                const std::size_t to = (r + (k == 0 ? step.size() - 1 : 1)) % step.size();
                expected.emplace(step[r].posts_ns + 4000 + 2000 * k, step[to].received_ns, r, to);
            }
        }
    }
    expect(found_timeline.left_out_arrows == 0, "messages were not found");
    expect(found_timeline.arrows.size() == expected.size(),
           "there are " + std::to_string(found_timeline.arrows.size()) + " arrows");
    for (const auto& arrow : found_timeline.arrows) {
        const auto found = expected.find({arrow.sent_ns, arrow.received_ns, arrow.from, arrow.to});
        expect(found != expected.end() && arrow.bytes == 8192, "an arrow is wrong");
        if (found != expected.end()) expected.erase(found);
    }
}

/// Calls of all kinds in random places, two threads on odd ranks.
void write_random(const std::string& path, std::int64_t ranks) {
    trace::TraceWriter writer(path);
    std::mt19937_64 random(7);
    const std::vector<std::pair<const char*, trace::Action>> functions{{"MPI_Waitall", trace::Action::complete},
                                                                       {"MPI_Allreduce", trace::Action::collective},
                                                                       {"MPI_Put", trace::Action::rma},
                                                                       {"MPI_File_write", trace::Action::file},
                                                                       {"MPI_Finalize", trace::Action::none}};
    writer.job().hosts = {{.host = "made"}};
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        writer.job().ranks.push_back({.rank = rank});
        for (std::uint32_t thread = 0; thread <= rank % 2; ++thread) {
            writer.begin_stream(rank, thread);
            std::uint64_t now = random() % 500;
            for (int i = 0; i < 40; ++i) {
                const auto& [name, action] = functions[random() % functions.size()];
                const std::uint64_t end = now + random() % 300;
                writer.append(writer.signature({.function = writer.function(name), .action = action}),
                              {.begin_ns = now, .end_ns = end, .times = 1, .polling_ns = end - now});
                now = end + (random() % 3) * (random() % 400);
            }
        }
    }
    writer.finish();
}

/// Polls that found nothing take a share of their span, which is divided among cells without a rest.
void polls_are_divided_without_a_rest(const std::string& path) {
    trace::TraceWriter writer(path);
    writer.job().hosts = {{.host = "made"}};
    writer.job().ranks.push_back({.rank = 0});
    writer.begin_stream(0, 0);
    const auto test =
        writer.signature({.function = writer.function("MPI_Test"), .action = trace::Action::complete, .found = false});
    writer.append(test, {.begin_ns = 17, .end_ns = 100'000, .times = 1000, .polling_ns = 33'333});
    writer.finish();

    const Timeline found_timeline = explain::timeline(TraceFile(path), {.cells = 7});

    Times sums{};
    for (std::size_t i = 0; i < found_timeline.grids[0].ns.size(); ++i)
        sums[i % explain::kKinds] += found_timeline.grids[0].ns[i];
    expect(found_timeline.grids[0].bins == 7, "seven cells were asked for");
    expect(sums[static_cast<std::size_t>(Kind::completion)] == 33'333, "the polls' time is not whole");
    expect(sums[0] == 100'000 - 17 - 33'333, "the time between polls is not whole");
    expect(found_timeline.calls.size() == 1 && found_timeline.calls[0].idle_ns == 100'000 - 17 - 33'333,
           "the call has another time");
}

int check(const std::filesystem::path& directory) {
    const std::string path = directory / "trace.ww";
    for (const std::int64_t ranks : {1, 5, 70}) {
        write_random(path, ranks);
        const TraceFile file(path);
        for (const explain::TimelineLimits& limits : {explain::TimelineLimits{},
                                                      {.calls = 33, .cells = 300},
                                                      {.begin_ns = 1234, .end_ns = 4567},
                                                      {.begin_ns = 3000, .end_ns = 9000, .calls = 5, .cells = 1},
                                                      {.begin_ns = 1'000'000, .calls = 0}}) {
            cells_hold_every_nanosecond(file, {.begin_ns = limits.begin_ns,
                                               .end_ns = limits.end_ns,
                                               .calls = limits.calls,
                                               .cells = std::min<std::size_t>(limits.cells, 3000)});
            the_longest_calls_are_shown(file, limits);
        }
    }
    synthetic::write_trace(path, 5, 20);
    arrows_go_from_sends_to_receives(TraceFile(path), 5, 20);
    polls_are_divided_without_a_rest(path);
    return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2) return check(argv[1]);
    if (argc != 4) return 2;
    synthetic::write_trace(argv[1], std::stol(argv[2]), std::stol(argv[3]));
    return 0;
}
