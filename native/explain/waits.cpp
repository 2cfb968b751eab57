/// The schedule of the wait analysis.
#include "explain/waits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

using trace::TraceJob;
using trace::TraceObject;

namespace {

constexpr std::uint64_t kMostSegments = std::uint64_t{1} << 22;
constexpr std::uint64_t kLeastOfAStream = 256;
constexpr std::uint64_t kMostOfAStream = std::uint64_t{1} << 16;

/// Calls of a stream that one step of the horizon is to cover.
constexpr std::uint64_t kCallsAStep = 64;

/// Segments that each stream may keep: together no more than kMostSegments, where that is enough.
std::vector<History> empty_histories(std::size_t streams) {
    std::uint64_t most = kMostOfAStream;
    while (most > kLeastOfAStream && most * streams > kMostSegments) most /= 2;
    std::vector<History> histories;
    histories.reserve(streams);
    for (std::size_t i = 0; i < streams; ++i) histories.emplace_back(most);
    return histories;
}

std::uint64_t number_of(const std::vector<trace::Stride>& strides) {
    std::uint64_t number = 0;
    for (const trace::Stride& stride : strides)
        number += static_cast<std::uint64_t>(std::max<std::int64_t>(0, stride.count));
    return number;
}

std::vector<std::int64_t> ranks_of_streams(const TraceJob& job) {
    std::vector<std::int64_t> ranks;
    ranks.reserve(job.streams.size());
    for (const trace::TraceStream& stream : job.streams) ranks.push_back(stream.rank);
    return ranks;
}

/// A rank's time in the window.
std::uint64_t wall_ns(const trace::TraceRank& rank, const TimeWindow& counted) {
    const std::uint64_t begin = std::max(rank.begin_ns, counted.begin_ns);
    const std::uint64_t end = std::min(rank.end_ns, counted.end_ns);
    return end > begin ? end - begin : 0;
}

/// Bins from the first call that counts to the end of the last.
WaitsOverTime empty_bins(const TraceJob& job, const TimeWindow& counted) {
    std::uint64_t begin_ns = counted.end_ns;
    std::uint64_t end_ns = counted.begin_ns;
    for (const trace::TraceStream& stream : job.streams) {
        begin_ns = std::min(begin_ns, stream.begin_ns);
        end_ns = std::max(end_ns, stream.end_ns);
    }
    begin_ns = std::max(begin_ns, counted.begin_ns);
    end_ns = std::max(begin_ns, std::min(end_ns, counted.end_ns));
    // Times of a damaged trace may span all 64 bits: nothing is added to them.
    const auto rounded_up = [](std::uint64_t ns, std::uint64_t by) { return ns / by + (ns % by != 0 ? 1 : 0); };
    const std::uint64_t span_ns = end_ns - begin_ns;
    const std::uint64_t bin_ns = std::max<std::uint64_t>(1, rounded_up(span_ns, kMostWaitBins));
    WaitsOverTime bins{.begin_ns = begin_ns, .bin_ns = bin_ns, .ns = {}};
    bins.ns.resize(rounded_up(span_ns, bin_ns));
    return bins;
}

std::vector<mpi::CallRole> operations_of(const TraceJob& job) {
    std::vector<mpi::CallRole> operations;
    operations.reserve(job.functions.size());
    for (const std::string& function : job.functions) operations.push_back(mpi::call_role(function));
    return operations;
}

}  // namespace

WaitAnalyser::WaitAnalyser(const trace::TraceFile& trace, const TimeWindow& counted, Progress* progress)
    : trace_(trace),
      counted_(counted),
      progress_(progress),
      job_(trace.job()),
      members_(job_),
      operations_(operations_of(job_)),
      stretches_(trace.signatures()),
      histories_(empty_histories(job_.streams.size())),
      paths_(histories_),
      delays_(histories_, stretches_, ranks_of_streams(job_)),
      rank_index_(mpi::rank_indices(job_)),
      incomplete_(!job_.lost.empty()) {
    std::map<std::tuple<TraceObject::Kind, std::uint64_t>, std::uint32_t> by_context;
    std::vector<std::uint32_t> group_of;
    for (const TraceObject& object : job_.objects) {
        const auto [known, added] = by_context.try_emplace({object.kind, object.context}, groups_.size());
        std::uint64_t size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, object.size));
        if (object.intercommunicator) size += number_of(object.own_group);
        if (added) groups_.emplace_back(size);
        group_of.push_back(known->second);
    }
    world_ = static_cast<std::uint32_t>(groups_.size());
    groups_.emplace_back(job_.ranks.size());

    for (const trace::TraceRank& rank : job_.ranks) {
        RankState& state = ranks_.emplace_back();
        state.rank = rank.rank;
        state.host = rank.host;
        for (const std::uint32_t object : rank.objects) {
            state.objects.push_back(
                {.group = group_of.at(object), .job_object = object, .epochs = nullptr, .neighbours = nullptr});
        }
        incomplete_ = incomplete_ || rank.dropped_calls > 0 || rank.ending == trace::Ending::killed;
        waits_.push_back({.rank = rank.rank,
                          .wall_ns = wall_ns(rank, counted),
                          .mpi_ns = 0,
                          .wait_ns = {},
                          .caused_ns = 0,
                          .critical_ns = 0});
    }
    origin_ns_ = std::numeric_limits<Clock>::max();
    for (const trace::TraceStream& stream : job_.streams) origin_ns_ = std::min(origin_ns_, stream.begin_ns);
    over_time_ = empty_bins(job_, counted);
    streams_.reserve(job_.streams.size());
    for (std::size_t i = 0; i < job_.streams.size(); ++i) {
        const auto rank = static_cast<std::uint32_t>(rank_index_.at(static_cast<std::size_t>(job_.streams[i].rank)));
        ranks_[rank].streams.push_back(static_cast<std::uint32_t>(i));
        streams_.push_back({.cursor = trace.cursor(i),
                            .number = static_cast<std::uint32_t>(i),
                            .rank = rank,
                            .history = &histories_[i],
                            .last_end_ns = origin_ns_,
                            .needs = {},
                            .spin = {}});
    }
}

void WaitAnalyser::read_next(StreamState& stream) {
    if (!stream.cursor.next()) {
        stream.finished = true;
        const RankState& rank = ranks_[stream.rank];
        if (std::ranges::all_of(rank.streams, [&](std::uint32_t i) { return streams_[i].finished; })) {
            finish_rank(stream.rank);
        }
        return;
    }
    // Times never go back, whatever a correction of clocks has made of them.
    const trace::TracedCall& call = stream.cursor.call();
    stream.begin_ns = std::max(call.begin_ns, stream.last_end_ns);
    stream.end_ns = std::max(call.end_ns, stream.begin_ns);
    ++steps_;
}

/// What needs more of this rank than it did is not waited for.
void WaitAnalyser::finish_rank(std::uint32_t number) {
    RankState& rank = ranks_[number];
    rank.finished = true;
    for (const RankObject& object : rank.objects) {
        for (const std::uint32_t stream : groups_[object.group].ends_after(object.collectives)) {
            met(stream, Need::Kind::collective, object.group);
        }
    }
}

void WaitAnalyser::wake(std::uint32_t stream) {
    StreamState& state = streams_[stream];
    if (--state.missing > 0) return;
    state.parked = false;
    runnable_.push_back(state.rank);
}

void WaitAnalyser::met(std::uint32_t stream, Need::Kind kind, std::uint32_t index) {
    for (Need& need : streams_[stream].needs) {
        if (!need.missing || need.kind != kind || need.index != index) continue;
        if (kind == Need::Kind::collective && lacks(streams_[stream], need)) {
            groups_[index].meeting(need.number)->parked.push_back(stream);
            continue;
        }
        need.missing = false;
        wake(stream);
    }
}

std::uint32_t WaitAnalyser::earliest_of(const RankState& rank) const {
    std::uint32_t stream = rank.streams[0];
    for (const std::uint32_t other : rank.streams) {
        if (streams_[other].next_ns() < streams_[stream].next_ns()) stream = other;
    }
    return stream;
}

/// Goes on with a rank until it is parked or has passed the horizon.
void WaitAnalyser::advance(std::uint32_t number, Clock horizon) {
    const RankState& rank = ranks_[number];
    if (rank.streams.size() > 1) return advance_threads(rank, horizon);
    StreamState& stream = streams_[rank.streams[0]];
    while (!stream.finished && !stream.parked && stream.next_ns() <= horizon) {
        if (!stream.in_call) begin_call(stream);
        if (!stream.parked) end_call(stream);
    }
}

/// The thread that is earliest goes first: what one posts may be completed by another.
void WaitAnalyser::advance_threads(const RankState& rank, Clock horizon) {
    while (true) {
        StreamState& stream = streams_[earliest_of(rank)];
        if (stream.finished || stream.parked || stream.next_ns() > horizon) return;
        if (!stream.in_call) begin_call(stream);
        if (!stream.parked && stream.next_ns() == stream.end_ns) end_call(stream);
    }
}

void WaitAnalyser::drain(Clock horizon) {
    while (!runnable_.empty()) {
        const std::uint32_t rank = runnable_.back();
        runnable_.pop_back();
        advance(rank, horizon);
    }
}

/// Everything that the rank posts before that time has been read.
WaitAnalyser::Clock WaitAnalyser::read_up_to(const RankState& rank) const {
    Clock up_to = std::numeric_limits<Clock>::max();
    for (const std::uint32_t stream : rank.streams) up_to = std::min(up_to, streams_[stream].next_ns());
    return up_to;
}

/// Everything that other ranks post before that time has been read.
WaitAnalyser::Clock WaitAnalyser::read_by_others(std::uint32_t rank) {
    if (!slowest_) {
        slowest_ = {Reader{std::numeric_limits<Clock>::max(), kNothing}, {std::numeric_limits<Clock>::max(), kNothing}};
        auto& [first, second] = *slowest_;
        for (std::uint32_t other = 0; other < ranks_.size(); ++other) {
            Reader reader{read_up_to(ranks_[other]), other};
            if (reader.up_to_ns < first.up_to_ns) std::swap(reader, first);
            if (reader.up_to_ns < second.up_to_ns) second = reader;
        }
    }
    return (*slowest_)[(*slowest_)[0].rank == rank ? 1 : 0].up_to_ns;
}

/// What a call needs was posted before the call ended; where the partner has been read beyond that, it never was.
bool WaitAnalyser::in_vain(const StreamState& stream, const Need& need) {
    if (!lacks(stream, need)) return true;
    switch (need.kind) {
        case Need::Kind::sent: {
            const Message& message = messages_[need.index];
            const Clock partner_ns = read_up_to(ranks_[messages_.ends(message.channel).destination]);
            return message.mode == SendMode::standard && partner_ns >= stream.end_ns;
        }
        case Need::Kind::received:
        case Need::Kind::probed: {
            const ChannelKey& ends =
                messages_.ends(need.kind == Need::Kind::probed ? need.index : messages_[need.index].channel);
            const RankState& source = ranks_[ends.source];
            if (need.optional) return read_up_to(source) >= stream.end_ns;
            const Clock unsure = tolerance(source, ranks_[ends.destination]) * 2;
            return incomplete_ && read_up_to(source) > stream.end_ns + unsure;
        }
        case Need::Kind::collective: return need.optional && read_by_others(stream.rank) >= stream.end_ns;
        case Need::Kind::unlocked: return read_by_others(stream.rank) >= stream.end_ns;
    }
    return false;
}

void WaitAnalyser::release(std::uint32_t stream, Need& need) {
    switch (need.kind) {
        case Need::Kind::sent: messages_[need.index].send.awaited = false; break;
        case Need::Kind::received: messages_[need.index].receive.awaited = false; break;
        case Need::Kind::probed: messages_.prober(need.index) = kNothing; break;
        case Need::Kind::collective:
            if (Meeting* meeting = groups_[need.index].meeting(need.number)) {
                std::erase(meeting->parked, stream);
                meeting->broken = meeting->broken || !need.optional;
            }
            if (!need.optional) ++unmatched_collectives_;
            break;
        case Need::Kind::unlocked: break;
    }
    need.missing = false;
    wake(stream);
}

bool WaitAnalyser::release_those_in_vain(Clock horizon) {
    bool any = false;
    slowest_.reset();
    for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
        if (!streams_[stream].parked || streams_[stream].end_ns > horizon) continue;
        for (Need& need : streams_[stream].needs) {
            if (!need.missing || !in_vain(streams_[stream], need)) continue;
            release(stream, need);
            any = true;
        }
    }
    return any;
}

/// Where nobody can go on, what the earliest needs cannot come: all that was before has been read.
bool WaitAnalyser::release_earliest() {
    std::uint32_t earliest = kNothing;
    for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
        if (!streams_[stream].parked) continue;
        if (earliest == kNothing || streams_[stream].end_ns < streams_[earliest].end_ns) earliest = stream;
    }
    if (earliest == kNothing) return false;
    for (Need& need : streams_[earliest].needs) {
        if (need.missing) release(earliest, need);
    }
    return true;
}

void WaitAnalyser::run() {
    for (StreamState& stream : streams_) read_next(stream);
    if (progress_ != nullptr) {
        std::uint64_t total = 0;
        for (const trace::TraceStream& stream : job_.streams) total += stream.events;
        progress_->total = total;
    }
    Clock horizon = origin_ns_;
    Clock step = 1000;
    while (true) {
        const std::uint64_t before = steps_;
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            if (!ranks_[rank].finished && !ranks_[rank].streams.empty()) runnable_.push_back(rank);
        }
        do drain(horizon);
        while (release_those_in_vain(horizon));
        if (progress_ != nullptr) progress_->done = steps_;

        Clock next_ns = std::numeric_limits<Clock>::max();
        for (const RankState& rank : ranks_) {
            if (rank.finished || rank.streams.empty()) continue;
            const StreamState& stream = streams_[earliest_of(rank)];
            if (!stream.parked) next_ns = std::min(next_ns, stream.next_ns());
        }
        const bool stuck = next_ns == std::numeric_limits<Clock>::max();
        if (stuck) {
            if (!release_earliest()) return;
            continue;
        }
        const std::uint64_t done = (steps_ - before) / streams_.size();
        if (done < kCallsAStep / 2) step *= 2;
        if (done > kCallsAStep * 2) step = std::max<Clock>(1, step / 2);
        horizon = std::max(horizon + step, next_ns);
    }
}

WaitAnalysis WaitAnalyser::analyse() {
    if (!streams_.empty()) run();
    return result();
}

WaitAnalysis analyse_waits(const trace::TraceFile& trace, const TimeWindow& counted, Progress* progress) {
    return WaitAnalyser(trace, counted, progress).analyse();
}

}  // namespace waywiser::explain
