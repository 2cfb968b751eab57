/// Iterations of the program, found in the order of its calls.
///
/// The calls of a place (a function and its call site) mark iterations if most intervals from a call to the m-th call
/// after it equal the interval before it. Intervals are equal if both have as many calls of the same places. The number
/// m is 1 where the place is passed once in an iteration, and greater in a loop of few rounds (the faces of a halo,
/// say). If several places mark iterations, the place with the shortest period counts. Unsuccessful polls do not count,
/// since their number is random.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {
namespace {

using trace::Cursor;
using trace::TraceFile;
using trace::TraceJob;

/// Smallest number of iterations of a loop.
constexpr std::uint64_t kLeastIterations = 3;

/// Every few steps a program does more (new neighbours, output): this share of steps must equal the preceding step.
constexpr double kAlike = 0.75;

/// Steps that equal the preceding step must fill this share of the time between MPI_Init and MPI_Finalize.
constexpr double kFilled = 0.5;

/// The position in the sequence at a call: the number of preceding calls, and a sum over their kinds. The difference of
/// two positions identifies the calls between them, except for their order.
struct CallsDone {
    std::uint64_t calls = 0;
    std::uint64_t kinds = 0;

    [[nodiscard]] bool operator==(const CallsDone&) const = default;
    [[nodiscard]] CallsDone operator-(const CallsDone& other) const {
        return {.calls = calls - other.calls, .kinds = kinds - other.kinds};
    }
};

/// Largest number of rounds of an inner loop that is tried.
constexpr std::size_t kMostRounds = 16;

/// Counts how often calls of one place, in groups of `rounds`, equal the preceding group.
struct Period {
    std::uint64_t alike = 0;
    std::uint64_t alike_ns = 0;
    std::uint64_t calls = 0;  ///< calls in the latest group that equals the preceding one

    [[nodiscard]] bool fits(std::uint64_t times, std::uint64_t rounds, std::uint64_t span_ns) const {
        if (times <= kLeastIterations * rounds) return false;
        // Every occurrence ends a group: the groups overlap if there are several rounds.
        return static_cast<double>(alike) >= kAlike * static_cast<double>(times - 2 * rounds) &&
               static_cast<double>(alike_ns) >= kFilled * static_cast<double>(span_ns * rounds);
    }
};

/// The calls of one place.
struct Mark {
    struct Occurrence {
        CallsDone at;
        std::uint64_t ns = 0;
    };

    std::uint64_t times = 0;
    std::array<Occurrence, 2 * kMostRounds + 1> latest;  ///< ring buffer
    std::array<Period, kMostRounds> periods;             ///< indexed by rounds - 1

    [[nodiscard]] const Occurrence& before(std::uint64_t occurrences) const {
        return latest[(times - 1 - occurrences) % latest.size()];
    }

    void occurs(const CallsDone& now, std::uint64_t ns) {
        latest[times++ % latest.size()] = {.at = now, .ns = ns};
        for (std::uint64_t rounds = 1; rounds <= kMostRounds && 2 * rounds < times; ++rounds) {
            const Occurrence& half = before(rounds);
            if (now - half.at != half.at - before(2 * rounds).at) continue;
            Period& period = periods[rounds - 1];
            ++period.alike;
            period.alike_ns += ns - half.ns;
            period.calls = (now - half.at).calls;
        }
    }
};

/// The main loop, described by the place that marks it.
struct MainLoop {
    std::uint32_t place = 0;
    std::uint64_t rounds = 0;  ///< 0: none
    std::uint64_t calls = 0;
    std::uint64_t typical_ns = 0;  ///< usual duration of an iteration
};

/// The stream whose iterations represent the program's: the one with the most calls, on the lowest such rank.
std::size_t longest_stream(const TraceJob& job) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < job.streams.size(); ++i) {
        if (job.streams[i].rank != job.streams[longest].rank) break;
        if (job.streams[i].events > job.streams[longest].events) longest = i;
    }
    return longest;
}

/// Goes to the next call that is not an unsuccessful poll.
bool next_call(Cursor& cursor) {
    while (cursor.next()) {
        if (cursor.parameters().found) return true;
    }
    return false;
}

/// Numbers of the places of calls, by signature.
class Places {
public:
    explicit Places(const TraceFile& trace) : place_of_(trace.signatures(), kUnknown) {}

    std::uint32_t of(const Cursor& cursor) {
        std::uint32_t& place = place_of_[cursor.signature()];
        if (place == kUnknown) {
            const trace::Parameters& call = cursor.parameters();
            const Place key{.function = call.function, .site = call.site};
            place = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
        }
        return place;
    }

private:
    static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

    std::vector<std::uint32_t> place_of_;
    std::map<Place, std::uint32_t> numbers_;
};

/// The places of a stream's calls, by their numbers, and the time between MPI_Init and MPI_Finalize.
struct Marks {
    std::vector<Mark> marks;
    std::uint64_t span_ns = 0;
};

Marks marks_of(const TraceFile& trace, std::size_t stream, Places& places) {
    std::vector<Mark> marks;
    CallsDone now;
    std::uint64_t first_ns = ~std::uint64_t{0};
    std::uint64_t last_ns = 0;
    Cursor cursor = trace.cursor(stream);
    while (next_call(cursor)) {
        const trace::Action action = cursor.parameters().action;
        if (action == trace::Action::initialise || action == trace::Action::finalise) continue;
        first_ns = std::min(first_ns, cursor.call().begin_ns);
        last_ns = cursor.call().end_ns;
        const std::uint32_t place = places.of(cursor);
        if (place >= marks.size()) marks.resize(place + 1);
        marks[place].occurs(now, cursor.call().begin_ns);
        now.calls += 1;
        now.kinds += scattered(place);
    }
    return {.marks = std::move(marks), .span_ns = last_ns > first_ns ? last_ns - first_ns : 0};
}

/// Finds the main loop. Places are numbered in the order of their first calls; if periods are equal, the first place
/// wins.
MainLoop main_loop(const Marks& of) {
    const auto& [marks, span_ns] = of;
    MainLoop loop;
    for (std::uint32_t place = 0; place < marks.size(); ++place) {
        for (std::uint64_t rounds = 1; rounds <= kMostRounds; ++rounds) {
            const Period& period = marks[place].periods[rounds - 1];
            if (!period.fits(marks[place].times, rounds, span_ns)) continue;
            if (loop.rounds != 0 && loop.calls <= period.calls) continue;
            loop = {
                .place = place, .rounds = rounds, .calls = period.calls, .typical_ns = period.alike_ns / period.alike};
        }
    }
    return loop;
}

}  // namespace

Iterations find_iterations(const TraceFile& trace) {
    Iterations iterations;
    if (trace.job().streams.empty()) return iterations;
    const std::size_t stream = longest_stream(trace.job());
    Places places(trace);
    const MainLoop loop = main_loop(marks_of(trace, stream, places));
    if (loop.rounds == 0) return iterations;
    iterations.rank = trace.job().streams[stream].rank;
    iterations.events = loop.calls;
    std::uint64_t since = 0;   // calls in the current iteration
    std::uint64_t end_ns = 0;  // end of the last iteration, as long as it has no more calls than usual
    std::uint64_t latest_ns = 0;
    for (Cursor cursor = trace.cursor(stream); next_call(cursor);) {
        if (places.of(cursor) == loop.place) {
            const std::uint64_t now = cursor.call().begin_ns;
            // The first round of an inner loop is the round after the longest pause.
            if (loop.rounds == 1 || iterations.begin_ns.empty() || now - latest_ns > loop.typical_ns / 2) {
                iterations.first = {.function = cursor.parameters().function, .site = cursor.parameters().site};
                iterations.begin_ns.push_back(now);
                since = 0;
            }
            latest_ns = now;
        }
        if (since++ < loop.calls) end_ns = cursor.call().end_ns;
    }
    iterations.begin_ns.push_back(end_ns);
    return iterations;
}

}  // namespace waywiser::explain
