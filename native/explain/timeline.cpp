#include "explain/timeline.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "mpi/calls.hpp"
#include "mpi/matching.hpp"

namespace waywiser::explain {

using mpi::Groups;
using mpi::Operation;
using mpi::RankCall;
using mpi::RankCalls;
using trace::Action;
using trace::kNone;
using trace::Parameters;
using trace::TracedCall;
using trace::TraceFile;
using trace::TraceJob;

namespace {

/// A screen has no more lines than this, so that further rows could not be distinguished.
constexpr std::size_t kMostRows = 1024;
/// Above this number of rows, a second grid combines several streams in a row and has shorter bins.
constexpr std::size_t kFewRows = 64;
constexpr std::size_t kMostBins = 8192;

__extension__ using Wide = unsigned __int128;

Kind kind_of(Action action) {
    switch (action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::start:
        case Action::cancel:
        case Action::probe: return Kind::point_to_point;
        case Action::complete:
        case Action::free_request: return Kind::completion;
        case Action::collective:
        case Action::prepare_collective: return Kind::collective;
        case Action::rma:
        case Action::rma_sync: return Kind::one_sided;
        case Action::file:
        case Action::file_collective: return Kind::file;
        default: return Kind::other;
    }
}

/// Time within a call from its start to `ns`; for polls a proportional share, so that parts add up to the whole.
std::uint64_t within(const TracedCall& call, std::uint64_t ns) {
    const std::uint64_t length = call.end_ns - call.begin_ns;
    if (call.times == 1 || length == 0) return ns - call.begin_ns;
    const auto polling = std::min(call.polling_ns, length);
    return static_cast<std::uint64_t>(Wide{polling} * (ns - call.begin_ns) / length);
}

/// Visits every call of a trace, rank by rank.
template <class Visit>
void each_call(const TraceFile& trace, const Groups& groups, Visit visit) {
    for (std::size_t rank = 0; rank < trace.job().ranks.size(); ++rank) {
        RankCalls calls(trace, groups, rank);
        while (calls.next()) visit(rank, calls.call());
    }
}

/// The sender's or the receiver's end of a message.
struct MessageEnd {
    std::uint64_t message;
    bool sent;
    std::uint64_t bytes;
};

/// \return the ends of messages that a call sends, or whose receive it completes
std::vector<MessageEnd> ends_of(const RankCall& call) {
    std::vector<MessageEnd> ends;
    for (const bool sent : {true, false}) {
        const auto kind = sent ? Operation::Kind::send : Operation::Kind::receive;
        for (const auto& operation : sent ? call.began : call.completed) {
            if (operation->kind == kind && operation->known)
                ends.push_back({.message = message_id(operation->key), .sent = sent, .bytes = operation->bytes});
        }
    }
    return ends;
}

TimelineGrid grid(std::size_t streams, std::size_t rows, std::size_t cells, std::uint64_t length_ns) {
    const std::size_t together = std::bit_ceil((streams + rows - 1) / rows);
    rows = (streams + together - 1) / together;
    const std::size_t bins = std::clamp(cells / rows, std::size_t{1}, kMostBins);
    const std::uint64_t bin_ns = std::max<std::uint64_t>(1, (length_ns + bins - 1) / bins);
    TimelineGrid grid{.together = static_cast<std::uint32_t>(together),
                      .rows = static_cast<std::uint32_t>(rows),
                      .bin_ns = bin_ns,
                      .bins = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (length_ns + bin_ns - 1) / bin_ns)),
                      .ns = {}};
    grid.ns.resize(std::size_t{grid.rows} * grid.bins * kKinds);
    return grid;
}

std::vector<TimelineGrid> grids(std::size_t streams, std::size_t cells, std::uint64_t length_ns) {
    if (streams == 0) return {};
    if (streams <= kFewRows) return {grid(streams, streams, cells, length_ns)};
    return {grid(streams, std::min(streams, kMostRows), cells * 2 / 3, length_ns),
            grid(streams, kFewRows, cells / 3, length_ns)};
}

/// Adds times of streams to the cells of all grids.
class Cells {
public:
    explicit Cells(Timeline& timeline) : timeline_(timeline) {}

    /// \param amount  time of that kind between its two arguments
    template <class Amount>
    void add(std::size_t stream, Kind kind, std::uint64_t begin_ns, std::uint64_t end_ns, Amount amount) {
        const std::uint64_t from = std::max(begin_ns, timeline_.begin_ns);
        const std::uint64_t to = std::min(end_ns, timeline_.end_ns);
        for (auto& grid : timeline_.grids) {
            const std::size_t row = stream / grid.together * grid.bins;
            for (std::uint64_t at = from; at < to;) {
                const std::uint64_t bin = (at - timeline_.begin_ns) / grid.bin_ns;
                const std::uint64_t next = std::min(to, timeline_.begin_ns + (bin + 1) * grid.bin_ns);
                grid.ns[(row + bin) * kKinds + static_cast<std::size_t>(kind)] += amount(at, next);
                at = next;
            }
        }
    }

    void compute(std::size_t stream, std::uint64_t begin_ns, std::uint64_t end_ns) {
        add(stream, Kind::computing, begin_ns, end_ns, [](auto from, auto to) { return to - from; });
    }

    void call(std::size_t stream, Kind kind, const TracedCall& call, std::uint64_t begin_ns) {
        const auto inside = [&](auto from, auto to) { return within(call, to) - within(call, from); };
        add(stream, kind, begin_ns, call.end_ns, inside);
        if (call.times == 1) return;
        add(stream, Kind::computing, begin_ns, call.end_ns,
            [&](auto from, auto to) { return to - from - inside(from, to); });
    }

private:
    Timeline& timeline_;
};

struct Candidate {
    TimelineCall call;
    std::uint64_t order;  ///< position in the trace; the first of equally long calls is kept
    std::vector<MessageEnd> ends;

    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> rank() const { return {call.end_ns - call.begin_ns, ~order}; }
};

/// Keeps the longest calls.
class Longest {
public:
    explicit Longest(std::size_t most) : most_(most) {}

    [[nodiscard]] bool takes(std::uint64_t ns) const { return most_ > 0 && (held_.size() < most_ || ns > shortest()); }

    void take(Candidate candidate) {
        if (held_.size() == most_) {
            merged(shortest());
            std::ranges::pop_heap(held_, kShortestFirst, &Candidate::rank);
            held_.back() = std::move(candidate);
        } else {
            held_.push_back(std::move(candidate));
        }
        std::ranges::push_heap(held_, kShortestFirst, &Candidate::rank);
    }

    void merged(std::uint64_t ns) { longest_merged_ns_ = std::max(longest_merged_ns_, ns); }

    [[nodiscard]] std::uint64_t longest_merged_ns() const { return longest_merged_ns_; }

    /// \return the candidates, longest first
    [[nodiscard]] std::vector<Candidate>& sorted() {
        std::ranges::sort(held_, kShortestFirst, &Candidate::rank);
        return held_;
    }

private:
    static constexpr std::ranges::greater kShortestFirst{};

    [[nodiscard]] std::uint64_t shortest() const { return held_.front().rank().first; }

    std::size_t most_;
    std::vector<Candidate> held_;
    std::uint64_t longest_merged_ns_ = 0;
};

TimelineCall described(const TraceJob& job, const Groups& groups, std::size_t rank, const RankCall& rank_call) {
    const TracedCall& call = rank_call.call;
    const Parameters& parameters = rank_call.parameters;
    const std::uint32_t* over = mpi::numbered(job.ranks[rank].objects, parameters.object);
    const auto world = [&](std::int32_t peer) {
        return over != nullptr && peer >= 0 ? groups.world_rank(*over, peer) : peer;
    };
    const auto source = parameters.matched_source == kNone ? parameters.source : parameters.matched_source;
    const auto tag = parameters.matched_tag == kNone ? parameters.source_tag : parameters.matched_tag;
    return {.stream = static_cast<std::uint32_t>(rank_call.stream),
            .kind = kind_of(parameters.action),
            .function = parameters.function,
            .site = parameters.site,
            .object = over != nullptr ? *over + 1 : 0,
            .peer = world(parameters.peer),
            .source = world(source),
            .tag = parameters.tag == kNone ? tag : parameters.tag,
            .bytes = parameters.bytes,
            .posted = parameters.posted,
            .requests = parameters.requests.size(),
            .begin_ns = call.begin_ns,
            .end_ns = call.end_ns,
            .times = call.times,
            .idle_ns = call.end_ns - call.begin_ns - within(call, call.end_ns)};
}

/// A message with at least one end in a call that is shown individually.
struct MessageEnds {
    bool sent = false, received = false;
    TimelineArrow arrow = {};
};

using Messages = std::unordered_map<std::uint64_t, MessageEnds>;

Messages chosen_messages(const std::vector<Candidate>& longest_first, std::size_t most, std::uint64_t& left_out) {
    Messages messages;
    for (const auto& candidate : longest_first) {
        for (const auto& end : candidate.ends) {
            if (messages.size() < most || messages.contains(end.message))
                messages.try_emplace(end.message);
            else
                ++left_out;
        }
    }
    return messages;
}

void find_ends(const TraceFile& trace, const Groups& groups, Messages& messages) {
    if (messages.empty()) return;
    each_call(trace, groups, [&](std::size_t, const RankCall& rank_call) {
        for (const MessageEnd& end : ends_of(rank_call)) {
            const auto match = messages.find(end.message);
            if (match == messages.end()) continue;
            auto& [sent, received, arrow] = match->second;
            (end.sent ? sent : received) = true;
            (end.sent ? arrow.from : arrow.to) = static_cast<std::uint32_t>(rank_call.stream);
            (end.sent ? arrow.sent_ns : arrow.received_ns) = end.sent ? rank_call.call.begin_ns : rank_call.call.end_ns;
            if (end.sent) arrow.bytes = end.bytes;
        }
    });
}

/// Reads the trace once and fills the cells.
/// \return the longest calls
Longest fill(const TraceFile& trace, const Groups& groups, const TimelineLimits& limits, Timeline& timeline) {
    const TraceJob& job = trace.job();
    Longest longest(limits.calls);
    Cells cells(timeline);
    std::vector<std::uint64_t> ended(job.streams.size());  // Time counts only once if calls overlap.
    std::ranges::transform(job.streams, ended.begin(), &trace::TraceStream::begin_ns);
    each_call(trace, groups, [&](std::size_t rank, const RankCall& rank_call) {
        const TracedCall& call = rank_call.call;
        std::uint64_t& at = ended[rank_call.stream];
        const std::uint64_t begin = std::max(call.begin_ns, at);
        cells.compute(rank_call.stream, at, begin);
        cells.call(rank_call.stream, kind_of(rank_call.parameters.action), call, begin);
        at = std::max(begin, call.end_ns);
        if (call.begin_ns >= limits.end_ns || (call.begin_ns < limits.begin_ns && call.end_ns <= limits.begin_ns))
            return;
        const std::uint64_t ns = call.end_ns - call.begin_ns;
        const std::uint64_t order = timeline.all_calls++;
        if (longest.takes(ns))
            longest.take({described(job, groups, rank, rank_call), order, ends_of(rank_call)});
        else
            longest.merged(ns);
    });
    for (std::size_t i = 0; i < ended.size(); ++i) cells.compute(i, ended[i], job.streams[i].end_ns);
    return longest;
}

}  // namespace

Timeline timeline(const TraceFile& trace, const TimelineLimits& limits) {
    const TraceJob& job = trace.job();
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (const auto& stream : job.streams) {
        first = std::min(first, stream.begin_ns);
        last = std::max(last, stream.end_ns);
    }
    Timeline result{};
    result.begin_ns = std::min(std::max(limits.begin_ns, first), last);
    result.end_ns = std::max(std::min(limits.end_ns, last), result.begin_ns);
    result.grids = grids(job.streams.size(), limits.cells, result.end_ns - result.begin_ns);

    const Groups groups(job);
    Longest longest = fill(trace, groups, limits, result);
    result.longest_merged_ns = longest.longest_merged_ns();
    auto& candidates = longest.sorted();
    Messages messages = chosen_messages(candidates, limits.arrows, result.left_out_arrows);
    find_ends(trace, groups, messages);
    for (const auto& [_, message] : messages) {
        // If a receive ends before its message was sent, the match or the clocks are wrong.
        if (message.sent && message.received && message.arrow.sent_ns <= message.arrow.received_ns)
            result.arrows.push_back(message.arrow);
        else
            ++result.left_out_arrows;
    }
    for (auto& candidate : candidates) result.calls.push_back(candidate.call);
    std::ranges::sort(result.calls, {}, [](const auto& call) { return std::pair(call.stream, call.begin_ns); });
    std::ranges::sort(result.arrows, {}, [](const auto& arrow) {
        return std::tuple(arrow.sent_ns, arrow.received_ns, arrow.from, arrow.to);
    });
    return result;
}

}  // namespace waywiser::explain
