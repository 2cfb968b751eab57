#include "explain/ended_waits.hpp"

#include <algorithm>

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

}  // namespace

EndedWaits::Ended EndedWaits::ended_by(const Arrival& arrival, Wait wait, const Need& need) {
    return {.wait = wait,
            .ns = arrival.begin_ns,
            .awaited = arrival.stream,
            .call = arrival.call,
            .point = &arrival.point,
            .need = &need,
            .counts = need.part.role != Role::finalise};
}

/// A root that left before a member arrived did not need that member: a Gatherv may take no elements from some members.
bool EndedWaits::came_in_time(const Stream& root, const Arrival& arrival) const {
    const std::uint64_t unsure_ns = needs_.tolerance_ns(reading_.rank(root.rank), reading_.rank_of(arrival.stream));
    return arrival.begin_ns <= root.end_ns + unsure_ns;
}

std::optional<EndedWaits::Ended> EndedWaits::what_ended(const Stream& stream) {
    std::optional<Ended> last;
    const auto consider = [&](const Ended& ended) {
        if (ended.ns > stream.begin_ns && (!last || ended.ns > last->ns)) last = ended;
    };
    const auto posted = [&](Wait wait, const auto& by, const Need& need) {
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
                if (message.receive.there && needs_.may_synchronise(message) &&
                    (message.mode == SendMode::synchronous || message.receive.begin_ns < stream.end_ns)) {
                    posted(Wait::late_receiver, message.receive, need);
                }
                break;
            }
            case Need::Kind::received: {
                const Message& message = messages_[need.index];
                if (message.send.there && (!need.optional || needs_.came(stream, need))) {
                    posted(need.wait, message.send, need);
                }
                break;
            }
            case Need::Kind::probed:
                if (const Posted* send = messages_.probed(need.index)) posted(Wait::late_sender, *send, need);
                break;
            case Need::Kind::unlocked:
                if (const Unlock* unlock = unlocks_[need.index].last(need.peer, need.number != 0, stream.rank,
                                                                     stream.begin_ns, stream.end_ns)) {
                    posted(Wait::lock, *unlock, need);
                }
                break;
            case Need::Kind::collective:
                if (need.optional && !needs_.came(stream, need)) break;
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

void EndedWaits::count(Stream& stream, const Ended& ended) {
    if (ended.ns > stream.end_ns) {
        ++omissions_.violations;
    } else if (!paths_.follow(stream.number, *ended.point,
                              stream.history->latest().counted ? stream.end_ns - ended.ns : 0)) {
        ++omissions_.lost_chains;
    }
    if (!ended.counts) return;
    if (ended.wait == Wait::last_ranks) {
        const Arrival* first = groups_[ended.need->index].awaited(ended.need->number, ended.need->part);
        if (first != nullptr && first->begin_ns > stream.begin_ns) {
            add(stream, ended_by(*first, Wait::early_root, *ended.need));
        }
    }
    if (ended.wait == Wait::early_wait) {
        // After the origin's last operation, the wait counts as late_complete.
        Ended operations = ended;
        operations.ns = messages_[ended.need->index].ready_ns;
        if (operations.ns > stream.begin_ns) add(stream, operations);
        Ended rest = ended;
        rest.wait = Wait::late_complete;
        return add(stream, rest);
    }
    // Only the last wait has origins for the whole call: the first arrival delayed no other rank.
    add(stream, ended);
}

/// Adds a wait of the stream's latest call since its start; the part that is already counted belongs to another wait.
void EndedWaits::add(Stream& stream, const Ended& ended) {
    Segment& segment = stream.history->latest();
    const std::uint64_t whole_ns = std::min(std::min(ended.ns, stream.end_ns) - stream.begin_ns, segment.call_ns);
    const std::uint64_t wait_ns = whole_ns - segment.wait_ns;
    if (wait_ns == 0) return;
    if (segment.counted) {
        sums_.add(stream.rank, ended.wait, stream.begin_ns + segment.wait_ns, stream.begin_ns + whole_ns);
    }
    segment.wait_ns = whole_ns;

    const bool together = ended.need->kind == Need::Kind::collective;
    const std::uint64_t since_ns = together ? synchronisations_.over_ns(stream.rank, ended.need->object)
                                            : synchronisations_.with_all_ns(stream.rank);
    const std::int64_t waiting = reading_.rank(stream.rank).rank;
    const std::int64_t awaited = reading_.rank_of(ended.awaited).rank;
    WaitingPairs::Pair& pair = pairs_.between(waiting, awaited);
    delays_.add({.wait = ended.wait,
                 .stream = stream.number,
                 .awaited = ended.awaited,
                 .call = ended.call,
                 .since_ns = std::max(since_ns, pair.synchronised_ns()),
                 .ns = wait_ns,
                 .counted = segment.counted});
    WaitingPairs::Direction& direction = pair.directions[waiting > awaited ? 1 : 0];
    if (segment.counted) {
        direction.ns += wait_ns;
        ++direction.calls;
    }
    direction.synchronised_ns = ended.ns;
}

}  // namespace waywiser::explain
