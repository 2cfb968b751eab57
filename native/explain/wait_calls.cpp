/// What calls post, and what they need of others before they can end.
#include <algorithm>
#include <utility>

#include "explain/wait_analysis.hpp"

namespace waywiser::explain {

using trace::Action;
using trace::Parameters;

namespace {

Envelope envelope_of(const Parameters& call) {
    return {.action = call.action,
            .function = call.function,
            .object = call.object,
            .peer = call.peer,
            .tag = call.tag,
            .source = call.source,
            .source_tag = call.source_tag,
            .bytes = call.bytes};
}

/// A request number that a damaged trace may have, and no program.
constexpr std::int32_t kMostRequests = 1 << 24;

}  // namespace

Request* WaitAnalyser::make_request(std::uint32_t rank, std::int32_t number) {
    if (number < 0 || number >= kMostRequests) return nullptr;
    std::vector<Request>& requests = ranks_[rank].requests;
    if (static_cast<std::size_t>(number) >= requests.size()) requests.resize(static_cast<std::size_t>(number) + 1);
    return &requests[static_cast<std::size_t>(number)];
}

/// The world rank of a member of the object; negative if it is none, or none of the trace.
static std::int64_t member_of(const trace::TraceObject& object, const std::vector<std::int32_t>& listed,
                              std::int32_t member) {
    if (member < 0) return member;
    if (!listed.empty()) {
        return static_cast<std::size_t>(member) < listed.size() ? listed[static_cast<std::size_t>(member)] : -1;
    }
    if (object.members.size() != 1 || member >= object.members[0].count) return -1;
    return object.members[0].first + member * object.members[0].stride;
}

std::optional<std::uint32_t> WaitAnalyser::channel_of(std::uint32_t rank, std::int32_t object, std::int32_t from,
                                                      std::int32_t to, std::int32_t tag) {
    RankState& own = ranks_[rank];
    const auto hash = static_cast<std::uint32_t>(object) * 7U + static_cast<std::uint32_t>(from) * 5U +
                      static_cast<std::uint32_t>(to) * 3U + static_cast<std::uint32_t>(tag);
    RecentChannel& recent = own.channels[hash % own.channels.size()];
    if (recent.object == object && recent.from == from && recent.to == to && recent.tag == tag) return recent.number;
    if (object < 0 || static_cast<std::size_t>(object) >= own.objects.size()) return std::nullopt;
    const RankObject& over = own.objects[static_cast<std::size_t>(object)];
    const std::int32_t peer = std::max(from, to);  // the other one is kNone: this rank itself
    const std::int64_t other = member_of(job_.objects[over.job_object], members_[over.job_object], peer);
    const bool known = other >= 0 && static_cast<std::size_t>(other) < rank_index_.size() &&
                       rank_index_[static_cast<std::size_t>(other)] >= 0;
    if (!known) {
        ++unknown_peers_;
        return std::nullopt;
    }
    const auto index = static_cast<std::uint32_t>(rank_index_[static_cast<std::size_t>(other)]);
    const std::uint32_t number = messages_.channel(
        {.group = over.group, .tag = tag, .source = from >= 0 ? index : rank, .destination = to >= 0 ? index : rank});
    recent = {.object = object, .from = from, .to = to, .tag = tag, .number = number};
    return number;
}

void WaitAnalyser::post_send(std::uint32_t stream, const Envelope& envelope, std::vector<Need>& needs) {
    const StreamState& sender = streams_[stream];
    if (envelope.peer < 0) return;
    const auto channel = channel_of(sender.rank, envelope.object, trace::kNone, envelope.peer, envelope.tag);
    if (!channel) return;
    const std::uint32_t number = messages_.meet(*channel, true);
    Message& message = messages_[number];
    message.send = {.there = true,
                    .done = false,
                    .stream = stream,
                    .begin_ns = sender.begin_ns,
                    .call = histories_[stream].end() - 1,
                    .point = paths_.here(stream)};
    message.mode = operations_[envelope.function].mode;
    message.bytes = envelope.bytes;
    const Channel& ends = messages_(*channel);
    message.same_host = ranks_[ends.source].host == ranks_[ends.destination].host;
    needs.push_back({.kind = Need::Kind::sent, .index = number});
    if (message.receive.awaited) met(message.receive.stream, Need::Kind::received, number);
    if (ends.prober != kNothing && message.channel != kNothing) {
        met(std::exchange(messages_(*channel).prober, kNothing), Need::Kind::probed, *channel);
    }
}

void WaitAnalyser::post_receive(std::uint32_t stream, std::int32_t object, std::int32_t source, std::int32_t tag,
                                Posted posted, std::vector<Need>& needs) {
    const auto channel =
        source < 0 ? std::nullopt : channel_of(streams_[stream].rank, object, source, trace::kNone, tag);
    if (!channel) {
        paths_.drop(posted.point);
        return;
    }
    const std::uint32_t number = messages_.meet(*channel, false);
    Message& message = messages_[number];
    // Only a send that is not done yet may have waited for this.
    const bool wanted = !message.send.there || !message.send.done;
    if (wanted && posted.point.node == PathPoint::kNowhere && posted.call + 1 == histories_[stream].end()) {
        posted.point = paths_.here(stream);
    } else if (!wanted) {
        paths_.drop(posted.point);
    }
    message.receive = posted;
    needs.push_back({.kind = Need::Kind::received, .index = number});
    if (message.send.there && message.send.done) learn_eager(message, posted.begin_ns);
    if (message.send.awaited) met(message.send.stream, Need::Kind::sent, number);
}

void WaitAnalyser::take_part(std::uint32_t stream, std::uint32_t function, std::int32_t object, std::int32_t root,
                             std::vector<Need>& needs) {
    const RankState& rank = ranks_[streams_[stream].rank];
    Part part{.role = operations_[function].role};
    RankObject* at = object_of(streams_[stream].rank, object);
    if (part.role == Role::none || at == nullptr) return;
    RankObject& over = *at;
    const trace::TraceObject& described = job_.objects[over.job_object];
    const std::vector<std::int32_t>& listed = members_[over.job_object];
    if (part.role == Role::from_root || part.role == Role::to_root) {
        part.bystander = root == trace::kNobody;
        part.root = root == trace::kOwnGroup ||
                    (!described.intercommunicator && member_of(described, listed, root) == rank.rank);
    } else if (part.role == Role::scan) {
        while (part.member < described.size &&
               member_of(described, listed, static_cast<std::int32_t>(part.member)) != rank.rank) {
            ++part.member;
        }
    }
    const std::uint64_t number = over.collectives++;
    Group& group = groups_[over.group];
    if (group.size() < 2) return;
    needs.push_back({.kind = Need::Kind::collective,
                     .optional = part.role == Role::file,
                     .index = over.group,
                     .number = number,
                     .part = part,
                     .object = static_cast<std::uint32_t>(object)});
    for (const std::uint32_t parked :
         group.arrive(number, part, stream, streams_[stream].begin_ns, histories_[stream].end() - 1, paths_)) {
        met(parked, Need::Kind::collective, over.group);
    }
}

void WaitAnalyser::post(std::uint32_t stream, const Envelope& envelope, std::vector<Need>& needs, Posted* any,
                        const Parameters* outcome) {
    const bool sends = envelope.action == Action::send || envelope.action == Action::prepare_send ||
                       envelope.action == Action::send_receive;
    const bool receives = envelope.action == Action::receive || envelope.action == Action::prepare_receive ||
                          envelope.action == Action::send_receive;
    if (receives) {
        Posted posted{.there = true,
                      .done = false,
                      .stream = stream,
                      .begin_ns = streams_[stream].begin_ns,
                      .call = histories_[stream].end() - 1};
        std::int32_t source = envelope.source;
        std::int32_t tag = envelope.source_tag;
        if (source == trace::kAny || tag == trace::kAny) {
            if (any != nullptr) {
                if (source != trace::kNobody) {
                    posted.point = paths_.here(stream);
                    *any = std::exchange(posted, {});
                }
                source = trace::kNone;
            } else {
                if (source == trace::kAny) source = outcome->matched_source;
                if (tag == trace::kAny) tag = outcome->matched_tag;
            }
        }
        post_receive(stream, envelope.object, source, tag, posted, needs);
    }
    if (sends) post_send(stream, envelope, needs);
    if (sends || receives) return;
    if (operations_[envelope.function].role == Role::neighbours) {
        meet_neighbours(stream, envelope, needs);
    } else {
        take_part(stream, envelope.function, envelope.object, envelope.peer, needs);
    }
}

void WaitAnalyser::complete(std::uint32_t stream, const Parameters& call) {
    const std::uint32_t rank = streams_[stream].rank;
    std::vector<Need>& needs = streams_[stream].needs;
    for (const trace::Completion& done : call.completed) {
        if (done.index < 0 || static_cast<std::size_t>(done.index) >= call.requests.size()) continue;
        Request* request = request_of(rank, call.requests[static_cast<std::size_t>(done.index)]);
        if (request == nullptr) continue;
        needs.insert(needs.end(), request->needs.begin(), request->needs.end());
        request->needs.clear();
        if (!request->any.there) continue;
        const Posted posted = std::exchange(request->any, {});
        const Envelope& named = request->prepared;
        post_receive(stream, named.object, named.source == trace::kAny ? done.source : named.source,
                     named.source_tag == trace::kAny ? done.tag : named.source_tag, posted, needs);
    }
}

void WaitAnalyser::probe(std::uint32_t stream, const Parameters& call) {
    if (!call.found) return;
    const std::int32_t source = call.source == trace::kAny ? call.matched_source : call.source;
    const std::int32_t tag = call.source_tag == trace::kAny ? call.matched_tag : call.source_tag;
    if (Request* message = make_request(streams_[stream].rank, call.request); message != nullptr) {
        // The message is taken here, and only its bytes are received later.
        message->renew({}, false);
        post_receive(stream, call.object, source, tag,
                     {.there = true,
                      .done = false,
                      .stream = stream,
                      .begin_ns = streams_[stream].begin_ns,
                      .call = histories_[stream].end() - 1},
                     streams_[stream].needs);
        return;
    }
    if (source < 0) return;
    if (const auto channel = channel_of(streams_[stream].rank, call.object, source, trace::kNone, tag)) {
        streams_[stream].needs.push_back({.kind = Need::Kind::probed, .index = *channel});
    }
}

/// A receive that has met no message is not in the way of others; a send stays.
void WaitAnalyser::cancel(Request& request) {
    paths_.drop(request.any.point);
    request.any = {};
    for (const Need& need : request.needs) {
        if (need.kind != Need::Kind::received || messages_[need.index].send.there) continue;
        messages_.forget(need.index);
        messages_.free(need.index);
    }
    std::erase_if(request.needs, [&](const Need& need) {
        return need.kind == Need::Kind::received && !messages_[need.index].send.there;
    });
}

void WaitAnalyser::post(std::uint32_t stream, const Parameters& call) {
    const std::uint32_t rank = streams_[stream].rank;
    std::vector<Need>& needs = streams_[stream].needs;
    switch (call.action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::collective:
        case Action::make_object:
        case Action::file_collective:
            if (call.action == Action::make_object) learn_neighbours(rank, call);
            if (call.message != trace::kNone) break;  // the probe has met it
            if (Request* request = make_request(rank, call.request); request != nullptr) {
                request->renew(envelope_of(call), false);
                post(stream, request->prepared, request->needs, &request->any, nullptr);
            } else {
                post(stream, envelope_of(call), needs, nullptr, &call);
            }
            if (call.action == Action::file_collective) follow_epoch(stream, call);
            break;
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::prepare_collective:
            if (Request* request = make_request(rank, call.request); request != nullptr) {
                request->renew(envelope_of(call), true);
            }
            break;
        case Action::start:
            for (const std::int32_t number : call.requests) {
                Request* request = request_of(rank, number);
                if (request == nullptr || !request->persistent) continue;
                post(stream, request->prepared, request->needs, &request->any, nullptr);
            }
            break;
        case Action::complete: complete(stream, call); break;
        case Action::cancel:
            for (const std::int32_t number : call.requests) {
                if (Request* request = request_of(rank, number)) cancel(*request);
            }
            break;
        case Action::probe: probe(stream, call); break;
        case Action::free_object: take_part(stream, call.function, call.object, trace::kNone, needs); break;
        case Action::rma_sync: take_part(stream, call.function, call.object, trace::kNone, needs); [[fallthrough]];
        case Action::rma: follow_epoch(stream, call); break;
        case Action::finalise: {
            needs.push_back({.kind = Need::Kind::collective, .index = world_, .part = {.role = Role::finalise}});
            for (const std::uint32_t parked : groups_[world_].arrive(
                     0, needs.back().part, stream, streams_[stream].begin_ns, histories_[stream].end() - 1, paths_)) {
                met(parked, Need::Kind::collective, world_);
            }
            break;
        }
        default: break;
    }
}

/// Whether a standard send of that size may wait for its receive: none so large has been seen to end before it.
bool WaitAnalyser::may_synchronise(const Message& message) const {
    if (message.mode != SendMode::standard) return message.mode == SendMode::synchronous;
    return message.bytes > eager_bytes_[message.same_host ? 1 : 0];
}

bool WaitAnalyser::lacks(const StreamState& stream, const Need& need) {
    switch (need.kind) {
        case Need::Kind::sent: {
            const Message& message = messages_[need.index];
            return !message.receive.there && may_synchronise(message) &&
                   !ranks_[messages_(message.channel).destination].finished;
        }
        case Need::Kind::received: {
            const Message& message = messages_[need.index];
            return !message.send.there && !ranks_[messages_(message.channel).source].finished;
        }
        case Need::Kind::probed: {
            const Channel& channel = messages_(need.index);
            return (channel.first == kNothing || !channel.sends) && !ranks_[channel.source].finished;
        }
        case Need::Kind::collective: return groups_[need.index].lacks(need.number, need.part);
        case Need::Kind::unlocked: break;
    }
    return !stream.finished;
}

/// Polls without success are part of the wait that ends with the success, unless the program computed between them:
/// then it had something else to do. What the program takes for a poll tells these apart.
void WaitAnalyser::join_spin(std::uint32_t stream) {
    constexpr Clock kBetweenPollsNs = 1000;
    StreamState& state = streams_[stream];
    const Parameters& call = state.cursor.parameters();
    const trace::TracedCall& times = state.cursor.call();
    const Spin before = std::exchange(state.spin, {});
    const bool asks = call.action == Action::complete || call.action == Action::probe ||
                      operations_[call.function].epoch == Epoch::wait;
    if (!asks) return;
    const bool spins = before.polls > 0 && state.begin_ns - state.last_end_ns <= kBetweenPollsNs * before.polls;
    if (spins) {
        History& history = histories_[stream];
        const Segment& latest = history[history.end() - 1];
        if (latest.counted) waits_[state.rank].mpi_ns -= latest.call_ns;
        history.pop();
        state.begin_ns = before.begin_ns;
        state.last_end_ns = before.before_ns;
        state.place = before.place_before;
    }
    if (call.found || !call.completed.empty()) return;
    const Clock span_ns = times.end_ns - times.begin_ns;
    const Clock within_ns = times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
    if (span_ns - within_ns > kBetweenPollsNs * times.times) return;
    state.spin = {.polls = times.times + (spins ? before.polls : 0),
                  .begin_ns = state.begin_ns,
                  .within_ns = within_ns + (spins ? before.within_ns : 0),
                  .before_ns = state.last_end_ns,
                  .place_before = state.place};
}

/// Time that the call at hand takes of its stream: of polls in a row, what lies between them is the program's.
WaitAnalyser::Clock WaitAnalyser::within_ns(const StreamState& stream) {
    const Clock span_ns = stream.end_ns - stream.begin_ns;
    if (stream.spin.polls > 0) return std::min(stream.spin.within_ns, span_ns);
    const trace::TracedCall& times = stream.cursor.call();
    return times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
}

void WaitAnalyser::begin_call(std::uint32_t stream) {
    StreamState& state = streams_[stream];
    const Parameters& call = state.cursor.parameters();
    if (state.spin.polls > 0 || !call.found) join_spin(stream);
    History& history = histories_[stream];
    const std::uint32_t place =
        stretches_.place(state.cursor.signature(), {.function = call.function, .site = call.site});
    if (history.full() && !(history[history.begin()].end_ns > ranks_[state.rank].remembers_ns && history.grow())) {
        paths_.before_overwriting(stream);
    }
    state.within_ns = within_ns(state);
    const Clock gap_ns = state.end_ns - state.last_end_ns - state.within_ns;
    history.push({.end_ns = state.begin_ns,
                  .computing_ns = gap_ns,
                  .computing = stretches_.between(state.place, place),
                  .within = stretches_.within(place),
                  .counted = counted_.contains(state.begin_ns)});
    state.place = place;
    state.in_call = true;
    state.needs.clear();
    post(stream, call);
    state.missing = 0;
    for (Need& need : state.needs) {
        need.missing = lacks(state, need);
        if (!need.missing) continue;
        ++state.missing;
        switch (need.kind) {
            case Need::Kind::sent: messages_[need.index].send.awaited = true; break;
            case Need::Kind::received: messages_[need.index].receive.awaited = true; break;
            case Need::Kind::probed: messages_(need.index).prober = stream; break;
            case Need::Kind::collective: groups_[need.index].meeting(need.number)->parked.push_back(stream); break;
            case Need::Kind::unlocked: break;
        }
    }
    state.parked = state.missing > 0;
}

}  // namespace waywiser::explain
