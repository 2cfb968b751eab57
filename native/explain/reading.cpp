#include "explain/reading.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mpi/groups.hpp"

namespace waywiser::explain {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Reading::Reading(const trace::TraceFile& trace, std::vector<History>& histories) : origin_ns_(kNever) {
    const trace::TraceJob& job = trace.job();
    const std::vector<std::int32_t> indices = mpi::rank_indices(job);
    for (const trace::TraceRank& rank : job.ranks) {
        ranks_.push_back({.rank = rank.rank, .host = rank.host, .streams = {}});
    }
    for (const trace::TraceStream& stream : job.streams) origin_ns_ = std::min(origin_ns_, stream.begin_ns);
    streams_.reserve(job.streams.size());
    for (std::uint32_t i = 0; i < job.streams.size(); ++i) {
        const auto rank = static_cast<std::uint32_t>(indices.at(static_cast<std::size_t>(job.streams[i].rank)));
        ranks_[rank].streams.push_back(i);
        streams_.push_back({.cursor = trace.cursor(i),
                            .number = i,
                            .rank = rank,
                            .history = &histories[i],
                            .last_end_ns = origin_ns_,
                            .needs = {},
                            .spin = {}});
    }
}

bool Reading::finish(Rank& rank) {
    rank.finished = std::ranges::all_of(rank.streams, [&](std::uint32_t i) { return streams_[i].finished; });
    return rank.finished;
}

Stream& Reading::earliest_of(const Rank& rank) {
    std::uint32_t stream = rank.streams[0];
    for (const std::uint32_t candidate : rank.streams) {
        if (streams_[candidate].next_ns() < streams_[stream].next_ns()) stream = candidate;
    }
    return streams_[stream];
}

std::uint64_t Reading::up_to_ns(const Rank& rank) const {
    std::uint64_t up_to = kNever;
    for (const std::uint32_t stream : rank.streams) up_to = std::min(up_to, streams_[stream].next_ns());
    return up_to;
}

std::uint64_t Reading::by_others_up_to_ns(std::uint32_t rank) {
    if (!slowest_) {
        slowest_ = {Reader{kNever, mpi::kNothing}, {kNever, mpi::kNothing}};
        auto& [first, second] = *slowest_;
        for (std::uint32_t reader_rank = 0; reader_rank < ranks_.size(); ++reader_rank) {
            Reader reader{up_to_ns(ranks_[reader_rank]), reader_rank};
            if (reader.up_to_ns < first.up_to_ns) std::swap(reader, first);
            if (reader.up_to_ns < second.up_to_ns) second = reader;
        }
    }
    return (*slowest_)[(*slowest_)[0].rank == rank ? 1 : 0].up_to_ns;
}

void Reading::start_round() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        if (!ranks_[rank].finished && !ranks_[rank].streams.empty()) runnable_.push_back(rank);
    }
}

std::optional<std::uint64_t> Reading::next_ns() {
    std::uint64_t next_ns = kNever;
    for (const Rank& rank : ranks_) {
        if (rank.finished || rank.streams.empty()) continue;
        const Stream& stream = earliest_of(rank);
        if (!stream.parked) next_ns = std::min(next_ns, stream.next_ns());
    }
    return next_ns == kNever ? std::nullopt : std::optional(next_ns);
}

Stream* Reading::earliest_parked() {
    Stream* earliest = nullptr;
    for (Stream& stream : streams_) {
        if (stream.parked && (earliest == nullptr || stream.end_ns < earliest->end_ns)) earliest = &stream;
    }
    return earliest;
}

std::uint64_t Reading::oldest_call_ns() const {
    std::uint64_t oldest_ns = kNever;
    for (const Stream& stream : streams_) {
        if (!stream.finished) oldest_ns = std::min(oldest_ns, stream.begin_ns);
    }
    return oldest_ns;
}

}  // namespace waywiser::explain
