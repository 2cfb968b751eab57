#include "explain/needs.hpp"

#include <algorithm>

namespace waywiser::explain {
namespace {

bool synchronises_all(Role role) {
    return role != Role::from_root && role != Role::to_root && role != Role::scan && role != Role::finalise;
}

bool lacks_calls(const trace::TraceJob& job) {
    return !job.lost.empty() || std::ranges::any_of(job.ranks, [](const trace::TraceRank& rank) {
        return rank.dropped_calls > 0 || rank.ending == trace::Ending::killed;
    });
}

}  // namespace

Needs::Needs(const trace::TraceJob& job, Reading& reading, InFlight& in_flight, CriticalPaths& paths,
             Synchronisations& synchronisations, Omissions& omissions)
    : job_(job),
      reading_(reading),
      messages_(in_flight.messages),
      groups_(in_flight.groups),
      paths_(paths),
      synchronisations_(synchronisations),
      omissions_(omissions),
      incomplete_(lacks_calls(job)) {}

bool Needs::lacks(const Stream& stream, const Need& need) {
    switch (need.kind) {
        case Need::Kind::sent: {
            const Message& message = messages_[need.index];
            return !message.receive.there && may_synchronise(message) &&
                   !reading_.rank(messages_.ends(message.channel).destination).finished;
        }
        case Need::Kind::received: {
            const Message& message = messages_[need.index];
            return !message.send.there && !reading_.rank(messages_.ends(message.channel).source).finished;
        }
        case Need::Kind::probed:
            return messages_.probed(need.index) == nullptr &&
                   !reading_.rank(messages_.ends(need.index).source).finished;
        case Need::Kind::collective: return groups_[need.index].lacks(need.number, need.part);
        case Need::Kind::unlocked: break;
    }
    return !stream.finished;
}

bool Needs::came(const Stream& stream, const Need& need) {
    if (need.kind == Need::Kind::received) {
        const Posted& send = messages_[need.index].send;
        return send.there && send.begin_ns < stream.end_ns;
    }
    const Arrival* last = lacks(stream, need) ? nullptr : groups_[need.index].awaited(need.number, need.part);
    return last != nullptr && last->begin_ns < stream.end_ns;
}

void Needs::await(Stream& stream) {
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

void Needs::met(std::uint32_t number, Need::Kind kind, std::uint32_t index) {
    Stream& stream = reading_.stream(number);
    for (Need& need : stream.needs) {
        if (!need.missing || need.kind != kind || need.index != index) continue;
        if (kind == Need::Kind::collective && lacks(stream, need)) {
            groups_[index].meeting(need.number)->parked.push_back(number);
            continue;
        }
        need.missing = false;
        reading_.wake(stream);
    }
}

/// True if the need can never be met. Needs were posted before the call ended, so the partner need only be read up to
/// that time.
bool Needs::in_vain(const Stream& stream, const Need& need) {
    if (!lacks(stream, need)) return true;
    switch (need.kind) {
        case Need::Kind::sent: {
            const Message& message = messages_[need.index];
            const Rank& destination = reading_.rank(messages_.ends(message.channel).destination);
            return message.mode == SendMode::standard && reading_.up_to_ns(destination) >= stream.end_ns;
        }
        case Need::Kind::received:
        case Need::Kind::probed: {
            const ChannelKey& ends =
                messages_.ends(need.kind == Need::Kind::probed ? need.index : messages_[need.index].channel);
            const Rank& source = reading_.rank(ends.source);
            if (need.optional) return reading_.up_to_ns(source) >= stream.end_ns;
            const std::uint64_t unsure_ns = tolerance_ns(source, reading_.rank(ends.destination)) * 2;
            return incomplete_ && reading_.up_to_ns(source) > stream.end_ns + unsure_ns;
        }
        case Need::Kind::collective: return need.optional && reading_.by_others_up_to_ns(stream.rank) >= stream.end_ns;
        case Need::Kind::unlocked: return reading_.by_others_up_to_ns(stream.rank) >= stream.end_ns;
    }
    return false;
}

void Needs::release(Stream& stream, Need& need) {
    switch (need.kind) {
        case Need::Kind::sent: messages_[need.index].send.awaited = false; break;
        case Need::Kind::received: messages_[need.index].receive.awaited = false; break;
        case Need::Kind::probed: messages_.prober(need.index) = kNothing; break;
        case Need::Kind::collective:
            if (Meeting* meeting = groups_[need.index].meeting(need.number)) {
                std::erase(meeting->parked, stream.number);
                meeting->broken = meeting->broken || !need.optional;
            }
            if (!need.optional) ++omissions_.unmatched_collectives;
            break;
        case Need::Kind::unlocked: break;
    }
    need.missing = false;
    reading_.wake(stream);
}

bool Needs::release_those_in_vain(std::uint64_t horizon_ns) {
    bool any = false;
    reading_.look_again();
    for (Stream& stream : reading_.streams()) {
        if (!stream.parked || stream.end_ns > horizon_ns) continue;
        for (Need& need : stream.needs) {
            if (!need.missing || !in_vain(stream, need)) continue;
            release(stream, need);
            any = true;
        }
    }
    return any;
}

bool Needs::release_earliest() {
    Stream* earliest = reading_.earliest_parked();
    if (earliest == nullptr) return false;
    for (Need& need : earliest->needs) {
        if (need.missing) release(*earliest, need);
    }
    return true;
}

std::uint64_t Needs::tolerance_ns(const Rank& a, const Rank& b) const {
    if (a.host == b.host) return 0;
    const auto of = [&](const Rank& rank) {
        return rank.host < job_.hosts.size() ? job_.hosts[rank.host].uncertainty_ns : 0;
    };
    return of(a) + of(b);
}

void Needs::learn_eager(const Message& message, std::uint64_t posted_ns) {
    if (message.mode != SendMode::standard || !may_synchronise(message)) return;
    const std::uint64_t unsure_ns =
        tolerance_ns(reading_.rank_of(message.send.stream), reading_.rank_of(message.receive.stream));
    if (posted_ns >= message.send_end_ns + unsure_ns) eager_.learn(message);
}

void Needs::leave(const Stream& stream, const Need& need) {
    switch (need.kind) {
        case Need::Kind::probed:
        case Need::Kind::unlocked: return;
        case Need::Kind::collective: {
            Group& group = groups_[need.index];
            if (synchronises_all(need.part.role) && (!need.optional || came(stream, need))) {
                if (const Arrival* last = group.awaited(need.number, need.part)) {
                    const bool all_ranks = group.size() == reading_.ranks();
                    synchronisations_.together(stream.rank, need.object, last->begin_ns, all_ranks);
                }
            }
            group.leave(need.number, paths_);
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
                const bool signals = messages_.are_signals(message.channel);
                ++(signals ? omissions_.unmatched_collectives : omissions_.unmatched_receives);
                messages_.withdraw(need.index);
            }
            return;
        }
    }
}

}  // namespace waywiser::explain
