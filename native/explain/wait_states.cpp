/// What a call has waited for once it ends, and what is kept of it.
#include <algorithm>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

namespace {

Wait wait_of(Role role) {
    switch (role) {
        case Role::barrier: return Wait::barrier;
        case Role::from_root: return Wait::late_root;
        case Role::to_root: return Wait::early_root;
        case Role::scan: return Wait::earlier_ranks;
        case Role::fence: return Wait::rma;
        case Role::make_object: return Wait::make_object;
        default: return Wait::all_to_all;
    }
}

bool synchronises_all(Role role) { return role != Role::from_root && role != Role::to_root && role != Role::scan; }

}  // namespace

/// How far the clocks of two ranks may be apart.
WaitAnalyser::Clock WaitAnalyser::tolerance(const RankState& a, const RankState& b) const {
    if (a.host == b.host) return 0;
    const auto of = [&](const RankState& rank) {
        return rank.host < job_.hosts.size() ? job_.hosts[rank.host].uncertainty_ns : 0;
    };
    return of(a) + of(b);
}

/// A standard send that ended before its receive was posted shows that messages of its size are not waited with.
void WaitAnalyser::learn_eager(const Message& message, Clock posted_ns) {
    std::uint64_t& known = eager_bytes_[message.same_host ? 1 : 0];
    if (message.mode != SendMode::standard || message.bytes <= known) return;
    const Clock unsure =
        tolerance(ranks_[streams_[message.send.stream].rank], ranks_[streams_[message.receive.stream].rank]);
    if (posted_ns >= message.send_end_ns + unsure) known = message.bytes;
}

WaitAnalyser::Ended WaitAnalyser::ended_by(const Arrival& arrival, Wait wait, const Need& need) {
    return {.wait = wait,
            .ns = arrival.begin_ns,
            .awaited = arrival.stream,
            .call = arrival.call,
            .point = &arrival.point,
            .need = &need,
            .counts = need.part.role != Role::finalise};
}

/// A root that left before somebody came needed nothing of that one: a Gatherv may take no elements of some.
bool WaitAnalyser::came_in_time(const StreamState& root, const Arrival& arrival) const {
    const Clock unsure = tolerance(ranks_[root.rank], ranks_[streams_[arrival.stream].rank]);
    return arrival.begin_ns <= root.end_ns + unsure;
}

/// Whether what a call may end without was there before its end.
bool WaitAnalyser::came(const StreamState& stream, const Need& need) {
    if (need.kind == Need::Kind::received) {
        const Posted& send = messages_[need.index].send;
        return send.there && send.begin_ns < stream.end_ns;
    }
    const Arrival* last = lacks(stream, need) ? nullptr : groups_[need.index].awaited(need.number, need.part);
    return last != nullptr && last->begin_ns < stream.end_ns;
}

/// The last of what the call needed is what ended its wait.
std::optional<WaitAnalyser::Ended> WaitAnalyser::what_ended(StreamState& stream) {
    std::optional<Ended> last;
    const auto consider = [&](const Ended& ended) {
        if (ended.ns > stream.begin_ns && (!last || ended.ns > last->ns)) last = ended;
    };
    const auto posted = [&](Wait wait, const Posted& by, const Need& need) {
        consider({.wait = wait,
                  .ns = by.begin_ns,
                  .awaited = by.stream,
                  .call = by.call,
                  .point = &by.point,
                  .need = &need,
                  .counts = true});
    };
    for (const Need& need : stream.needs) {
        switch (need.kind) {
            case Need::Kind::sent: {
                const Message& message = messages_[need.index];
                if (message.receive.there && may_synchronise(message) &&
                    (message.mode == SendMode::synchronous || message.receive.begin_ns < stream.end_ns)) {
                    posted(Wait::late_receiver, message.receive, need);
                }
                break;
            }
            case Need::Kind::received: {
                const Message& message = messages_[need.index];
                if (message.send.there && (!need.optional || came(stream, need))) posted(need.wait, message.send, need);
                break;
            }
            case Need::Kind::probed:
                if (const Posted* send = messages_.probed(need.index)) posted(Wait::late_sender, *send, need);
                break;
            case Need::Kind::unlocked: {
                const Unlock* unlock =
                    locks_[need.index].last(need.peer, need.number != 0, stream.rank, stream.begin_ns, stream.end_ns);
                if (unlock == nullptr) break;
                consider({.wait = Wait::lock,
                          .ns = unlock->begin_ns,
                          .awaited = unlock->stream,
                          .call = unlock->call,
                          .point = &unlock->point,
                          .need = &need,
                          .counts = true});
                break;
            }
            case Need::Kind::collective:
                if (need.optional && !came(stream, need)) break;
                if (const Arrival* arrival = groups_[need.index].awaited(need.number, need.part)) {
                    consider(ended_by(*arrival, wait_of(need.part.role), need));
                }
                if (const Arrival* sender = groups_[need.index].last_awaited(need.number, need.part);
                    sender != nullptr && came_in_time(stream, *sender)) {
                    consider(ended_by(*sender, Wait::last_ranks, need));
                }
                break;
        }
    }
    return last;
}

void WaitAnalyser::wait_ended(StreamState& stream, const Ended& ended) {
    if (ended.ns > stream.end_ns) {
        ++violations_;
    } else if (!paths_.follow(stream.number, *ended.point,
                              counted_.contains(stream.begin_ns) ? stream.end_ns - ended.ns : 0)) {
        ++lost_chains_;
    }
    if (!ended.counts) return;
    if (ended.wait == Wait::last_ranks) {
        const Arrival* first = groups_[ended.need->index].awaited(ended.need->number, ended.need->part);
        if (first != nullptr && first->begin_ns > stream.begin_ns) {
            count_wait(stream, ended_by(*first, Wait::early_root, *ended.need));
        }
    }
    if (ended.wait == Wait::early_wait) {
        // From the origin's last operation on, it is late to say so.
        Ended operations = ended;
        operations.ns = messages_[ended.need->index].ready_ns;
        if (operations.ns > stream.begin_ns) count_wait(stream, operations);
        Ended rest = ended;
        rest.wait = Wait::late_complete;
        return count_wait(stream, rest);
    }
    if (ended.wait == Wait::lock) hold(stream.rank, *ended.need);
    // The origins of the wait that is counted last stand for the whole call: who came first delayed nobody else.
    count_wait(stream, ended);
}

/// The latest call of the stream has waited since its start; the part that is already counted belongs to another wait.
void WaitAnalyser::count_wait(StreamState& stream, const Ended& ended) {
    RankState& rank = ranks_[stream.rank];
    const RankState& awaited = ranks_[streams_[ended.awaited].rank];
    Segment& segment = stream.history->latest();
    const Clock whole_ns = std::min(std::min(ended.ns, stream.end_ns) - stream.begin_ns, segment.call_ns);
    const Clock wait_ns = whole_ns - segment.wait_ns;
    if (wait_ns == 0) return;
    if (segment.counted) {
        waits_[stream.rank].wait_ns[static_cast<std::size_t>(ended.wait)] += wait_ns;
        add_over_time(ended.wait, stream.begin_ns + segment.wait_ns, stream.begin_ns + whole_ns);
    }
    segment.wait_ns = whole_ns;

    Clock since_ns = rank.synchronised_ns;
    if (ended.need->kind == Need::Kind::collective) {
        since_ns = std::max(since_ns, rank.objects[ended.need->object].synchronised_ns);
    }
    const auto [low, high] = std::minmax({rank.rank, awaited.rank});
    std::array<Pair, 2>& both = pairs_[static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint64_t>(high)];
    since_ns = std::max({since_ns, both[0].synchronised_ns, both[1].synchronised_ns});
    Pair& pair = both[rank.rank > awaited.rank ? 1 : 0];
    delays_.add({.wait = ended.wait,
                 .stream = stream.number,
                 .awaited = ended.awaited,
                 .call = ended.call,
                 .since_ns = since_ns,
                 .ns = wait_ns,
                 .counted = segment.counted});
    if (segment.counted) {
        pair.ns += wait_ns;
        ++pair.calls;
    }
    pair.synchronised_ns = ended.ns;
}

void WaitAnalyser::add_over_time(Wait wait, Clock begin_ns, Clock end_ns) {
    const auto& [first_ns, bin_ns, ns] = over_time_;
    for (Clock at = std::max(begin_ns, first_ns); at < end_ns;) {
        const std::uint64_t bin = (at - first_ns) / bin_ns;
        if (bin >= ns.size()) return;
        const Clock within_ns = std::min(end_ns - at, bin_ns - (at - first_ns) % bin_ns);
        over_time_.ns[bin][static_cast<std::size_t>(wait)] += within_ns;
        at += within_ns;
    }
}

/// What the call needed is not needed by it any more.
void WaitAnalyser::leave(StreamState& stream, const Need& need) {
    switch (need.kind) {
        case Need::Kind::probed:
        case Need::Kind::unlocked: return;
        case Need::Kind::collective: {
            const bool together = !need.optional || came(stream, need);
            if (need.part.role != Role::finalise && synchronises_all(need.part.role) && together) {
                RankState& rank = ranks_[stream.rank];
                RankObject& over = rank.objects[need.object];
                if (const Arrival* last = groups_[need.index].awaited(need.number, need.part)) {
                    over.synchronised_ns = last->begin_ns;
                    if (groups_[need.index].size() == ranks_.size()) {
                        rank.remembers_ns = std::exchange(rank.synchronised_ns, last->begin_ns);
                    }
                }
            }
            groups_[need.index].leave(need.number, paths_);
            return;
        }
        case Need::Kind::sent: {
            Message& message = messages_[need.index];
            message.send.done = true;
            message.send_end_ns = stream.end_ns;
            if (message.receive.there) {
                learn_eager(message, message.receive.begin_ns);
                paths_.drop(message.receive.point);
                if (message.receive.done) {
                    paths_.drop(message.send.point);
                    messages_.free(need.index);
                }
            }
            return;
        }
        case Need::Kind::received: {
            Message& message = messages_[need.index];
            message.receive.done = true;
            if (message.send.there) {
                paths_.drop(message.send.point);
                if (message.send.done) messages_.free(need.index);
            } else if (!need.optional) {
                ++(messages_.are_signals(message.channel) ? unmatched_collectives_ : unmatched_receives_);
                messages_.withdraw(need.index);
            }
            return;
        }
    }
}

void WaitAnalyser::end_call(StreamState& stream) {
    Segment& segment = stream.history->latest();
    segment.end_ns = stream.end_ns;
    segment.call_ns = stream.within_ns;
    const trace::Action action = stream.cursor.parameters().action;
    if (segment.counted && action != trace::Action::initialise && action != trace::Action::finalise) {
        waits_[stream.rank].mpi_ns += segment.call_ns;
    }
    if (!stream.needs.empty()) {
        if (const auto ended = what_ended(stream)) wait_ended(stream, *ended);
        for (const Need& need : stream.needs) {
            if (!need.optional || !put_off(stream, need)) leave(stream, need);
        }
    }
    stream.last_end_ns = stream.end_ns;
    stream.in_call = false;
    read_next(stream);
}

}  // namespace waywiser::explain
