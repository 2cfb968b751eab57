/// The wait analysis: streams advance until they need calls that have not been read. All ranks read up to a common
/// horizon before it moves on, which bounds the operations in flight.
#include "explain/waits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "explain/ended_waits.hpp"
#include "explain/posting.hpp"

namespace waywiser::explain {
namespace {

constexpr std::uint64_t kMostSegments = std::uint64_t{1} << 22;
constexpr std::uint64_t kLeastOfAStream = 256;
constexpr std::uint64_t kMostOfAStream = std::uint64_t{1} << 16;

/// Number of calls of a stream that one step of the horizon should cover.
constexpr std::uint64_t kCallsAStep = 64;

/// Histories of the streams, together with no more than kMostSegments segments if that is enough.
std::vector<History> empty_histories(std::size_t streams) {
    std::uint64_t most = kMostOfAStream;
    while (most > kLeastOfAStream && most * streams > kMostSegments) most /= 2;
    std::vector<History> histories;
    histories.reserve(streams);
    for (std::size_t i = 0; i < streams; ++i) histories.emplace_back(most);
    return histories;
}

std::vector<std::int64_t> ranks_of_streams(const trace::TraceJob& job) {
    std::vector<std::int64_t> ranks;
    ranks.reserve(job.streams.size());
    for (const trace::TraceStream& stream : job.streams) ranks.push_back(stream.rank);
    return ranks;
}

class WaitAnalyser {
public:
    WaitAnalyser(const trace::TraceFile& trace, const TimeWindow& counted, Progress* progress)
        : job_(trace.job()),
          counted_(counted),
          progress_(progress),
          intervals_(trace.signatures()),
          histories_(empty_histories(job_.streams.size())),
          paths_(histories_),
          delays_(histories_, intervals_, ranks_of_streams(job_)),
          sums_(job_, counted),
          reading_(trace, histories_),
          in_flight_(job_) {
        for (const trace::TraceRank& rank : job_.ranks) synchronisations_.add_rank(rank.objects.size());
    }

    [[nodiscard]] WaitAnalysis analyse() {
        if (!reading_.streams().empty()) run();
        return result();
    }

private:
    void run();
    void read_next(Stream& stream) {
        if (reading_.read_next(stream)) posting_.finish(stream.rank);
    }
    /// The function is not inlined, so that the loop over calls has the registers to itself.
    [[gnu::noinline]] void advance(const Rank& rank, std::uint64_t horizon_ns);
    void advance_threads(const Rank& rank, std::uint64_t horizon_ns);
    void begin_call(Stream& stream);
    void end_call(Stream& stream);
    void make_room(const Stream& stream);
    [[nodiscard]] WaitAnalysis result();
    void give_critical_path(WaitAnalysis& analysis);

    const trace::TraceJob& job_;
    const TimeWindow counted_;
    Progress* progress_;
    Intervals intervals_;
    std::vector<History> histories_;
    CriticalPaths paths_;
    Delays delays_;
    WaitSums sums_;
    WaitingPairs pairs_;
    Omissions omissions_;
    Synchronisations synchronisations_;
    Reading reading_;
    InFlight in_flight_;
    Needs needs_{job_, reading_, in_flight_, paths_, synchronisations_, omissions_};
    Posting posting_{job_, reading_, in_flight_, paths_, needs_, omissions_};
    EndedWaits ended_{reading_, in_flight_, needs_, synchronisations_, paths_, delays_, sums_, pairs_, omissions_};
};

/// Makes room in a history. It grows as long as others may need its oldest segment; overwritten segments were summed
/// before.
void WaitAnalyser::make_room(const Stream& stream) {
    History& history = *stream.history;
    const std::uint64_t remembers_ns = synchronisations_.before_last_ns(stream.rank);
    if (history[history.begin()].end_ns > remembers_ns && history.grow()) return;
    const std::uint64_t summed = paths_.before_overwriting(stream.number);
    std::uint64_t next = history.begin() + 1;
    while (next < summed && history[next].end_ns <= remembers_ns) ++next;
    history.look_before_overwriting(next);
}

void WaitAnalyser::begin_call(Stream& stream) {
    const trace::Parameters& call = stream.cursor.parameters();
    if (stream.spin.polls > 0 || !call.found) {
        sums_.rank(stream.rank).mpi_ns -= stream.join_polls(mpi::may_poll(call.action, posting_.role(call.function)));
    }
    const std::uint32_t place =
        intervals_.place(stream.cursor.signature(), {.function = call.function, .site = call.site});
    if (stream.history->look_due()) make_room(stream);
    stream.within_ns = stream.call_ns();
    stream.history->push({.end_ns = stream.begin_ns,
                          .computation_ns = stream.end_ns - stream.last_end_ns - stream.within_ns,
                          .computing = intervals_.between(stream.place, place),
                          .within = intervals_.within(place),
                          .counted = counted_.contains(stream.begin_ns)});
    stream.place = place;
    stream.in_call = true;
    posting_.post(stream);
    needs_.await(stream);
}

void WaitAnalyser::end_call(Stream& stream) {
    Segment& segment = stream.history->latest();
    segment.end_ns = stream.end_ns;
    segment.call_ns = stream.within_ns;
    const trace::Action action = stream.cursor.parameters().action;
    if (segment.counted && action != trace::Action::initialise && action != trace::Action::finalise) {
        sums_.rank(stream.rank).mpi_ns += segment.call_ns;
    }
    if (!stream.needs.empty()) {
        if (const auto ended = ended_.what_ended(stream)) {
            if (ended->wait == Wait::lock) posting_.hold(stream.rank, *ended->need);
            ended_.count(stream, *ended);
        }
        for (const Need& need : stream.needs) {
            if (!need.optional || !posting_.put_off(stream, need)) needs_.leave(stream, need);
        }
    }
    stream.last_end_ns = stream.end_ns;
    stream.in_call = false;
    read_next(stream);
}

/// Continues with a rank until it is parked or has passed the horizon.
void WaitAnalyser::advance(const Rank& rank, std::uint64_t horizon_ns) {
    if (rank.streams.size() > 1) return advance_threads(rank, horizon_ns);
    Stream& stream = reading_.stream(rank.streams[0]);
    while (!stream.finished && !stream.parked && stream.next_ns() <= horizon_ns) {
        if (!stream.in_call) begin_call(stream);
        if (!stream.parked) end_call(stream);
    }
}

/// The earliest thread goes first, because one thread may complete operations that another one posted.
void WaitAnalyser::advance_threads(const Rank& rank, std::uint64_t horizon_ns) {
    while (true) {
        Stream& stream = reading_.earliest_of(rank);
        if (stream.finished || stream.parked || stream.next_ns() > horizon_ns) return;
        if (!stream.in_call) begin_call(stream);
        if (!stream.parked && stream.next_ns() == stream.end_ns) end_call(stream);
    }
}

void WaitAnalyser::run() {
    for (Stream& stream : reading_.streams()) read_next(stream);
    if (progress_ != nullptr) {
        std::uint64_t total = 0;
        for (const trace::TraceStream& stream : job_.streams) total += stream.events;
        progress_->total = total;
    }
    std::uint64_t horizon_ns = reading_.origin_ns();
    std::uint64_t step_ns = 1000;
    while (true) {
        const std::uint64_t before = reading_.calls();
        reading_.start_round();
        do {
            while (const auto rank = reading_.next_rank()) advance(reading_.rank(*rank), horizon_ns);
        } while (needs_.release_those_in_vain(horizon_ns));
        if (progress_ != nullptr) progress_->done = reading_.calls();

        const std::optional<std::uint64_t> next_ns = reading_.next_ns();
        if (!next_ns) {
            if (!needs_.release_earliest()) return;
            continue;
        }
        const std::uint64_t done = (reading_.calls() - before) / reading_.streams().size();
        if (done < kCallsAStep / 2) step_ns *= 2;
        if (done > kCallsAStep * 2) step_ns = std::max<std::uint64_t>(1, step_ns / 2);
        horizon_ns = std::max(horizon_ns + step_ns, *next_ns);
    }
}

void WaitAnalyser::give_critical_path(WaitAnalysis& analysis) {
    const auto last = std::ranges::max_element(reading_.streams(), {}, &Stream::last_end_ns);
    if (last == reading_.streams().end()) return;
    std::map<std::tuple<std::int64_t, bool, std::uint32_t>, std::uint64_t> places;
    paths_.sums(last->number).each([&](std::uint64_t key, std::uint64_t ns) {
        if (ns == 0) return;
        const std::uint32_t rank = reading_.stream(static_cast<std::uint32_t>(key >> 32U)).rank;
        const Interval& interval = intervals_.interval(static_cast<std::uint32_t>(key));
        places[{reading_.rank(rank).rank, interval.computing, interval.before}] += ns;
        sums_.rank(rank).critical_ns += ns;
        analysis.critical_path_ns += ns;
    });
    for (const auto& [place, ns] : places) {
        analysis.critical_path.push_back({.rank = std::get<0>(place),
                                          .computing = std::get<1>(place),
                                          .place = intervals_.place(std::get<2>(place)),
                                          .ns = ns});
    }
    std::ranges::sort(analysis.critical_path, [](const CriticalPlace& a, const CriticalPlace& b) {
        return std::tie(b.ns, a.rank, a.computing, a.place) < std::tie(a.ns, b.rank, b.computing, b.place);
    });
}

WaitAnalysis WaitAnalyser::result() {
    WaitAnalysis analysis;
    analysis.causes = delays_.causes();
    const std::vector<std::int32_t> indices = mpi::rank_indices(job_);
    for (const Cause& cause : analysis.causes) {
        const std::int32_t rank = indices[static_cast<std::size_t>(cause.causing_rank)];
        sums_.rank(static_cast<std::uint32_t>(rank)).caused_ns += cause.ns;
    }
    analysis.pairs = pairs_.list();
    give_critical_path(analysis);
    analysis.ranks = sums_.take_ranks();
    analysis.over_time = sums_.take_over_time();
    analysis.unmatched_sends = in_flight_.messages.left(true);
    analysis.unmatched_receives = omissions_.unmatched_receives + in_flight_.messages.left(false);
    analysis.remarks = omissions_.remarks();
    return analysis;
}

}  // namespace

WaitAnalysis analyse_waits(const trace::TraceFile& trace, const TimeWindow& counted, Progress* progress) {
    return WaitAnalyser(trace, counted, progress).analyse();
}

}  // namespace waywiser::explain
