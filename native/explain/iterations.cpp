/// Iterations of the program, found in the order of its calls.
///
/// A call that is made again and again marks the begins of iterations if what lies between two of its
/// occurrences is mostly the same as between the two before: as many calls of the same kinds. Of the
/// calls that mark, the one with the most occurrences gives the shortest period; of several with as
/// many, the one that comes first. Polls that found nothing do not count: how many there are is chance.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "explain/flat_map.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {
namespace {

using trace::Cursor;
using trace::TraceFile;
using trace::TraceJob;

/// Fewer are no loop.
constexpr std::uint64_t kLeastIterations = 3;

/// Every few steps a program does more (new neighbours, output): so many steps must be as the one before.
constexpr double kAlike = 0.75;

/// Steps that are as the one before fill so much of the time in which the rank makes calls.
constexpr double kFilled = 0.5;

/// Where the sequence is at some call: how many came before, and a sum over their kinds. The
/// difference of two places tells what lies between, but for its order.
struct Progress {
    std::uint64_t calls = 0;
    std::uint64_t kinds = 0;

    [[nodiscard]] bool operator==(const Progress&) const = default;
};

/// One kind of call as the mark of an iteration's begin.
struct Mark {
    std::uint64_t times = 0;
    std::uint64_t alike = 0;  ///< stretches that were as the one before
    std::uint64_t first_ns = 0;
    std::uint64_t last_ns = 0;
    std::uint64_t alike_ns = 0;
    Progress at;
    Progress stretch;  ///< the latest

    void occurs(const Progress& now, std::uint64_t ns) {
        if (times == 0) first_ns = ns;
        const Progress passed{.calls = now.calls - at.calls, .kinds = now.kinds - at.kinds};
        if (times >= 2 && passed == stretch) {
            ++alike;
            alike_ns += ns - last_ns;
        }
        stretch = passed;
        at = now;
        last_ns = ns;
        ++times;
    }

    [[nodiscard]] bool marks(std::uint64_t span_ns) const {
        return times > kLeastIterations && static_cast<double>(alike) >= kAlike * static_cast<double>(times - 2) &&
               static_cast<double>(alike_ns) >= kFilled * static_cast<double>(span_ns);
    }
};

/// The stream whose iterations stand for the program's: the first rank's with the most calls.
std::size_t longest_stream(const TraceJob& job) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < job.streams.size(); ++i) {
        if (job.streams[i].rank != job.streams[longest].rank) break;
        if (job.streams[i].events > job.streams[longest].events) longest = i;
    }
    return longest;
}

/// Goes to the next call that is no poll in vain.
bool next_call(Cursor& cursor) {
    while (cursor.next()) {
        if (cursor.parameters().found) return true;
    }
    return false;
}

std::vector<Mark> marks_of(const TraceFile& trace, std::size_t stream) {
    std::vector<Mark> marks(trace.signatures());
    Progress now;
    Cursor cursor = trace.cursor(stream);
    while (next_call(cursor)) {
        const std::uint32_t kind = cursor.signature();
        marks[kind].occurs(now, cursor.call().begin_ns);
        now.calls += 1;
        now.kinds += scattered(kind);
    }
    return marks;
}

}  // namespace

Iterations find_iterations(const TraceFile& trace) {
    Iterations found;
    if (trace.job().streams.empty()) return found;
    const std::size_t stream = longest_stream(trace.job());
    const auto& whole = trace.job().streams[stream];
    const std::vector<Mark> marks = marks_of(trace, stream);
    const std::uint64_t span_ns = whole.end_ns - whole.begin_ns;
    const auto better = [&](const Mark& a, const Mark& b) {
        if (a.marks(span_ns) != b.marks(span_ns)) return a.marks(span_ns);
        return a.times != b.times ? a.times > b.times : a.first_ns < b.first_ns;
    };
    const auto best = std::min_element(marks.begin(), marks.end(), better);
    if (best == marks.end() || !best->marks(span_ns)) return found;
    found.rank = whole.rank;
    found.events = best->stretch.calls;
    const auto kind = static_cast<std::uint32_t>(best - marks.begin());
    std::uint64_t since = 0;   // calls in the present iteration
    std::uint64_t end_ns = 0;  // of the last iteration, as long as it has no more calls than the one before
    for (Cursor cursor = trace.cursor(stream); next_call(cursor);) {
        if (cursor.signature() == kind) {
            found.first = {.function = cursor.parameters().function, .site = cursor.parameters().site};
            found.begin_ns.push_back(cursor.call().begin_ns);
            since = 0;
        }
        if (since++ < found.events) end_ns = cursor.call().end_ns;
    }
    found.begin_ns.push_back(end_ns);
    return found;
}

}  // namespace waywiser::explain
