/// What calls post, and what they need of others before they can end.
#include <algorithm>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

using trace::Action;
using trace::Parameters;

void WaitAnalyser::complete(StreamState& stream, const Parameters& call) {
    ranks_[stream.rank].requests.each_completed(call, [&](Request& request, const trace::Completion& done) {
        for (const Need& need : request.needs) stream.needs.push_back(need);
        request.needs.clear();
        if (!request.any.there) return;
        mpi::Selector from = request.prepared.from;
        from.settle(done.source, done.tag);
        post_receive(stream, request.prepared.object, from, std::exchange(request.any, {}), stream.needs);
    });
}

void WaitAnalyser::probe(StreamState& stream, const Parameters& call) {
    if (!call.found) return;
    mpi::Selector from{.source = call.source, .tag = call.source_tag};
    from.settle(call.matched_source, call.matched_tag);
    if (Request* message = ranks_[stream.rank].requests.make(call.request)) {
        // The message is taken here, and only its bytes are received later.
        message->renew({}, false);
        post_receive(stream, call.object, from, posted_by(stream), stream.needs);
        return;
    }
    if (from.source < 0) return;
    const std::uint32_t channel = channel_of(stream.rank, call.object, from.source, trace::kNone, from.tag);
    if (channel != kNothing) stream.needs.push_back({.kind = Need::Kind::probed, .index = channel});
}

/// A receive that has met no message is not in the way of others; a send stays.
void WaitAnalyser::cancel(Request& request) {
    paths_.drop(request.any.point);
    request.any = {};
    std::erase_if(request.needs, [&](const Need& need) {
        if (need.kind != Need::Kind::received || messages_[need.index].send.there) return false;
        messages_.withdraw(need.index);
        return true;
    });
}

void WaitAnalyser::post(StreamState& stream, const Parameters& call) {
    RankState& rank = ranks_[stream.rank];
    std::vector<Need>& needs = stream.needs;
    switch (call.action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::collective:
        case Action::make_object:
        case Action::file_collective:
            if (call.action == Action::make_object) {
                mpi::learn_neighbours(rank.objects, operations_[call.function], call);
            }
            if (call.message != trace::kNone) break;  // the probe has met it
            if (Request* request = rank.requests.make(call.request)) {
                request->renew(mpi::envelope_of(call), false);
                post(stream, request->prepared, request->needs, &request->any, nullptr);
            } else {
                post(stream, mpi::envelope_of(call), needs, nullptr, &call);
            }
            if (call.action == Action::file_collective) follow_epoch(stream, call);
            break;
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::prepare_collective:
            if (Request* request = rank.requests.make(call.request)) request->renew(mpi::envelope_of(call), true);
            break;
        case Action::start:
            for (const std::int32_t number : call.requests) {
                Request* request = rank.requests.find(number);
                if (request == nullptr || !request->persistent) continue;
                post(stream, request->prepared, request->needs, &request->any, nullptr);
            }
            break;
        case Action::complete: complete(stream, call); break;
        case Action::cancel:
            for (const std::int32_t number : call.requests) {
                if (Request* request = rank.requests.find(number)) cancel(*request);
            }
            break;
        case Action::probe: probe(stream, call); break;
        case Action::free_object: take_part(stream, call.function, call.object, trace::kNone, needs); break;
        case Action::rma_sync: take_part(stream, call.function, call.object, trace::kNone, needs); [[fallthrough]];
        case Action::rma: follow_epoch(stream, call); break;
        case Action::finalise: {
            needs.push_back({.kind = Need::Kind::collective, .index = world_, .part = {.role = Role::finalise}});
            for (const std::uint32_t parked : groups_[world_].arrive(
                     0, needs.back().part, stream.number, stream.begin_ns, stream.history->end() - 1, paths_)) {
                met(parked, Need::Kind::collective, world_);
            }
            break;
        }
        default: break;
    }
}

/// Polls without success are part of the wait that ends with the success, unless the program computed between them:
/// then it had something else to do. What the program takes for a poll tells these apart.
void WaitAnalyser::join_spin(StreamState& stream) {
    constexpr Clock kBetweenPollsNs = 1000;
    const Parameters& call = stream.cursor.parameters();
    const trace::TracedCall& times = stream.cursor.call();
    const Spin before = std::exchange(stream.spin, {});
    if (!mpi::may_poll(call.action, operations_[call.function])) return;
    const bool spins = before.polls > 0 && stream.begin_ns - stream.last_end_ns <= kBetweenPollsNs * before.polls;
    if (spins) {
        History& history = *stream.history;
        const Segment& latest = history.latest();
        if (latest.counted) waits_[stream.rank].mpi_ns -= latest.call_ns;
        history.pop();
        stream.begin_ns = before.begin_ns;
        stream.last_end_ns = before.before_ns;
        stream.place = before.place_before;
    }
    if (call.found || !call.completed.empty()) return;
    const Clock span_ns = times.end_ns - times.begin_ns;
    const Clock within_ns = times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
    if (span_ns - within_ns > kBetweenPollsNs * times.times) return;
    stream.spin = {.polls = times.times + (spins ? before.polls : 0),
                   .begin_ns = stream.begin_ns,
                   .within_ns = within_ns + (spins ? before.within_ns : 0),
                   .before_ns = stream.last_end_ns,
                   .place_before = stream.place};
}

/// Time that the call at hand takes of its stream: of polls in a row, what lies between them is the program's.
WaitAnalyser::Clock WaitAnalyser::within_ns(const StreamState& stream) {
    const Clock span_ns = stream.end_ns - stream.begin_ns;
    if (stream.spin.polls > 0) return std::min(stream.spin.within_ns, span_ns);
    const trace::TracedCall& times = stream.cursor.call();
    return times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
}

/// A history grows while others may ask for its oldest segment; what it overwrites was summed before.
void WaitAnalyser::make_room(const StreamState& stream) {
    History& history = *stream.history;
    const Clock remembers_ns = ranks_[stream.rank].remembers_ns;
    if (history[history.begin()].end_ns > remembers_ns && history.grow()) return;
    const std::uint64_t summed = paths_.before_overwriting(stream.number);
    std::uint64_t next = history.begin() + 1;
    while (next < summed && history[next].end_ns <= remembers_ns) ++next;
    history.look_before_overwriting(next);
}

void WaitAnalyser::begin_call(StreamState& stream) {
    const Parameters& call = stream.cursor.parameters();
    if (stream.spin.polls > 0 || !call.found) join_spin(stream);
    History& history = *stream.history;
    const std::uint32_t place =
        stretches_.place(stream.cursor.signature(), {.function = call.function, .site = call.site});
    if (history.look_due()) make_room(stream);
    stream.within_ns = within_ns(stream);
    const Clock gap_ns = stream.end_ns - stream.last_end_ns - stream.within_ns;
    history.push({.end_ns = stream.begin_ns,
                  .computing_ns = gap_ns,
                  .computing = stretches_.between(stream.place, place),
                  .within = stretches_.within(place),
                  .counted = counted_.contains(stream.begin_ns)});
    stream.place = place;
    stream.in_call = true;
    stream.needs.clear();
    post(stream, call);
    stream.missing = 0;
    for (Need& need : stream.needs) {
        need.missing = lacks(stream, need);
        if (!need.missing) continue;
        ++stream.missing;
        switch (need.kind) {
            case Need::Kind::sent: messages_[need.index].send.awaited = true; break;
            case Need::Kind::received: messages_[need.index].receive.awaited = true; break;
            case Need::Kind::probed: messages_.prober(need.index) = stream.number; break;
            case Need::Kind::collective:
                groups_[need.index].meeting(need.number)->parked.push_back(stream.number);
                break;
            case Need::Kind::unlocked: break;
        }
    }
    stream.parked = stream.missing > 0;
}

}  // namespace waywiser::explain
