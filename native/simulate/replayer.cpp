#include "simulate/replayer.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace waywiser::simulate {

namespace {

/// Not a function that is called: g++ 12 leaves out calls of functions that do nothing else.
[[gnu::always_inline]] inline void fetch(const void* begin, std::size_t lines) {
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(static_cast<const char*>(begin) + i * kLine, 1);
}

}  // namespace

Replayer::Replayer(Common& common, Part part, std::size_t parts)
    : common_(common),
      part_(part),
      settings_(common.settings),
      job_(common.job),
      functions_(common.functions),
      objects_(common.objects),
      ranks_(common.ranks),
      reader_(common.calls.reader()),
      in_calls_(common.in_calls),
      computing_(common),
      in_rows_(computing_.is_recorded() && !settings_.share_nic && !settings_.join_messages),
      mail_(part.number, parts),
      incoming_(parts),
      nics_(common.nodes) {
    if (settings_.interconnect) {
        contention_ = std::make_unique<Contention>(*settings_.interconnect);
        for (std::uint32_t rank = part.first; rank < part.end; ++rank) check_node(rank);
    }
    add_streams();
    if (settings_.join_messages) bursts_.resize(actors_.size());
}

void Replayer::check_node(std::uint32_t rank) const {
    const std::int64_t nodes = contention_->network().topology().node_count();
    const std::int64_t node = ranks_[rank].node;
    if (node >= 0 && node < nodes) return;
    throw InvalidInput("interconnect: its nodes are 0 to " + std::to_string(nodes - 1) + ", but rank " +
                       std::to_string(job_.ranks[rank].rank) + " is on node " + std::to_string(node));
}

void Replayer::add_streams() {
    std::size_t links = 0;
    std::size_t sums = 0;
    actors_.expect(part_.end - part_.first);
    std::size_t receives = 0;
    for (std::uint32_t rank = part_.first; rank < part_.end; ++rank) {
        for (std::size_t stream = common_.stream_begins[rank]; stream < common_.stream_begins[rank + 1]; ++stream) {
            const Actor& added = add_stream(rank, static_cast<std::uint32_t>(stream));
            if (added.list == nullptr) continue;
            links += added.list->plans.size();
            sums += added.list->functions.size();
            receives += added.list->receives;
        }
    }
    channels_.expect_number(receives, part_.end - part_.first);
    streams_ = static_cast<std::uint32_t>(actors_.size());
    links_.resize(links);
    sums_.resize(sums);
    Link* link = links_.data();
    CallSums* sum = sums_.data();
    for (std::uint32_t number = 0; number < streams_; ++number) {
        Actor& actor = actors_[number];
        if (actor.list == nullptr) continue;
        actor.links = std::exchange(link, link + actor.list->plans.size());
        actor.sums = std::exchange(sum, sum + actor.list->functions.size());
    }
}

const Actor& Replayer::add_stream(std::uint32_t rank, std::uint32_t stream) {
    Actor& actor = actors_.add();
    actor.number = static_cast<std::uint32_t>(actors_.size() - 1);
    actor.rank = rank;
    actor.stream = stream;
    actor.scale = common_.scale[rank];
    if (job_.streams[stream].events > 0) {
        actor.list = &common_.plans[common_.calls.list_of(stream)];
        ranks_[rank].requests.expect(actor.list->requests);
    }
    schedule_.add();
    schedule_.enqueue(actor.number);
    return actor;
}

void Replayer::run_alone() {
    do {
        while (!schedule_.idle()) run_round();
    } while (next_event() || (waiting_handshakes_ == 0 && next_lock()));
}

void Replayer::run_beside(Exchange& exchange) {
    for (;;) {
        if (!schedule_.idle()) run_round();
        mail_.hand_over(exchange);
        const bool idle = schedule_.idle();
        const std::vector<Letters> letters = exchange.collect(part_.number, idle);
        if (idle && letters.empty()) return;
        for (const Letters& one : letters) take_in(one);
    }
}

/// Ranks whose turn is soon: first they themselves, then what they name, then what that names is put on its way into
/// the cache.
[[gnu::always_inline]] inline void Replayer::look_ahead(std::span<const std::uint32_t> round) const {
    constexpr std::size_t kStep = 2;
    if (3 * kStep < round.size()) fetch(&actors_[round[3 * kStep]], 4);
    if (2 * kStep < round.size()) fetch_lists(actors_[round[2 * kStep]]);
    if (kStep < round.size()) fetch_channels(actors_[round[kStep]]);
}

[[gnu::always_inline]] inline void Replayer::fetch_lists(const Actor& actor) const {
    fetch(&ranks_[actor.rank], 1);
    fetch(actor.block.calls.data() + actor.position, 2);
    fetch(actor.links, 2);
    fetch(actor.sums, 2);
    fetch(actor.needs.data(), 2);
}

[[gnu::always_inline]] inline void Replayer::fetch_channels(const Actor& actor) const {
    constexpr std::size_t kCalls = 14;
    fetch(ranks_[actor.rank].requests.data(), 2);
    const std::vector<trace::BlockOfCalls::Call>& calls = actor.block.calls;
    for (std::size_t i = actor.position; i < std::min(actor.position + kCalls, calls.size()); ++i) {
        if (calls[i].is_full()) continue;
        const std::uint32_t channel = actor.links[calls[i].what >> 1U].channel;
        if ((channel & kAway) == 0) channels_.expect(channel);
    }
}

/// All who can go on do, in turn: those who are woken meanwhile come after them.
void Replayer::run_round() {
    std::vector<std::uint32_t>& round = schedule_.next_round();
    if (settings_.share_nic) {
        // About the order of time, in which messages ask for the NICs.
        std::ranges::sort(round, {}, [&](std::uint32_t number) { return std::pair(actors_[number].now.ns(), number); });
    }
    for (std::span<const std::uint32_t> left = round; !left.empty(); left = left.subspan(1)) {
        look_ahead(left);
        advance(left.front());
    }
}

/// Replays an actor until it finishes or must wait for others.
void Replayer::advance(std::uint32_t number) {
    Actor& actor = actors_[number];
    if (schedule_.is_parked(number)) stop_waiting(actor);
    while (!actor.finished) {
        if (!actor.in_call && !read_next(actor)) return finish(actor);
        if (settings_.join_messages && (actor.in_play || !actor.needs.empty())) end_burst(actor);
        if (!meet_needs(actor)) return;
        end_call(actor);
    }
}

/// The parameters of a call with absolute ranks as peers. The reference is valid until the next call.
const trace::Parameters& Replayer::absolute(const Actor& actor, const trace::Parameters& parameters,
                                            std::uint32_t relative) {
    if (relative == 0)
        return parameters;  // NOLINT(bugprone-return-const-ref-from-parameter): of the trace, which lives on
    absolute_ = parameters;
    if ((relative & trace::kPlacedBySource) != 0) {
        common_.calls.place(actor.stream, relative, absolute_);
        return absolute_;
    }
    trace::OwnPlace own;
    if (const RankObject* over = mpi::numbered(ranks_[actor.rank].objects, parameters.object)) {
        const JobObject& object = objects_[over->job_object];
        own.rank = object.intercommunicator ? object.all.place(actor.rank) - object.own_begin
                                            : object.members.place(actor.rank);
        own.size = object.members.size();
    }
    trace::make_absolute(absolute_, relative, own);
    return absolute_;
}

bool Replayer::read_next(Actor& actor) {
    post_in_a_row(actor);
    if (actor.position == actor.block.calls.size() && !read_block(actor)) return false;
    const trace::BlockOfCalls::Call next = actor.block.calls[actor.position];
    const trace::FullCall* full = next.is_full() ? &actor.block.full[next.what >> 1U] : nullptr;
    const std::uint32_t symbol = full != nullptr ? full->symbol : next.what >> 1U;
    const double gap_ns = full != nullptr ? static_cast<double>(full->gap_ns) : next.gap_ns;
    const double before_ns = computing_.pass_gap(actor, symbol, gap_ns);
    if (settings_.join_messages && before_ns > kNoComputing_ns) end_burst(actor);
    ++actor.position;
    actor.in_call = true;
    actor.begin = actor.now;
    actor.call_waiting_ns = 0;
    actor.symbol = symbol;
    if (full == nullptr) {
        begin_planned(actor);
        return true;
    }
    const trace::StoredSignature& what = *actor.list->plans[actor.symbol].what;
    begin_call(actor, absolute(actor, full->varied ? full->own.parameters : what.signature.parameters, what.relative),
               {.begin_ns = 0, .end_ns = full->length_ns, .times = full->times, .polling_ns = full->polling_ns});
    return true;
}

bool Replayer::read_block(Actor& actor) {
    actor.calls_before += actor.block.calls.size();
    actor.position = 0;
    if (!reader_->read(actor.stream, actor.next_block++, actor.block)) return false;
    const std::uint64_t before_ns = actor.next_block == 1 ? common_.origin_ns : 0;
    recorded_compute_ns_ += actor.block.gaps_ns - std::min(before_ns, actor.block.gaps_ns);
    recorded_mpi_ns_ += actor.block.lengths_ns;
    return true;
}

void Replayer::begin_planned(Actor& actor) {
    const Plan& plan = actor.list->plans[actor.symbol];
    const trace::Parameters& call = plan.what->signature.parameters;
    if (plan.kind == Plan::Kind::other) {
        begin_call(actor, absolute(actor, call, plan.what->relative), {});
    } else {
        Need* request = make_request(actor, call.request);
        need(actor, request, post_planned(actor, plan, actor.symbol));
    }
}

void Replayer::end_call(Actor& actor) {
    actor.in_call = false;
    if (actor.is_agent) return finish(actor);
    if (in_calls_) remember_call(actor, actor.begin, actor.now.ns());
    CallSums& sums = actor.sums[actor.list->plans[actor.symbol].slot];
    ++sums.calls;
    sums.ns += actor.now.ns() - actor.begin.ns();
    sums.waiting_ns += actor.call_waiting_ns;
}

void Replayer::finish(Actor& actor) {
    actor.finished = true;
    if (!actor.is_agent) --ranks_[actor.rank].running;
    schedule_.wake(actor.waiter);
}

/// Who ends last, and of these the first.
const Actor* Replayer::last() const {
    const Actor* found = nullptr;
    for (std::uint32_t number = 0; number < streams_; ++number) {
        if (found == nullptr || actors_[number].now.ns() > found->now.ns()) found = &actors_[number];
    }
    return found;
}

void Replayer::add_to(Prediction& found, Remarks& remarks) const {
    for (std::uint32_t number = 0; number < streams_; ++number) {
        const Actor& actor = actors_[number];
        const std::int64_t rank = job_.ranks[actor.rank].rank;
        if (found.ranks.empty() || found.ranks.back().rank != rank) found.ranks.push_back({.rank = rank});
        RankTimes& times = found.ranks.back();
        times.end_ns = std::max(times.end_ns, actor.now.ns());
        times.compute_ns += actor.compute_ns;
        times.waiting_ns += actor.waiting_ns;
        times.transfer_ns += actor.transfer_ns;
        times.overhead_ns += actor.overhead_ns;
        for (std::size_t i = 0; actor.list != nullptr && i < actor.list->functions.size(); ++i) {
            const CallSums& sums = actor.sums[i];
            times.mpi_ns += sums.ns;
            FunctionTimes& function = found.functions[actor.list->functions[i]];
            function.calls += sums.calls;
            function.ns += sums.ns;
            function.waiting_ns += sums.waiting_ns;
        }
    }
    found.recorded.compute_ns += static_cast<double>(recorded_compute_ns_);
    found.recorded.mpi_ns += static_cast<double>(recorded_mpi_ns_);
    found.messages += messages_;
    found.bytes += bytes_;
    for (const auto& [what, times] : remarks_) remarks[what] += times;
}

}  // namespace waywiser::simulate
