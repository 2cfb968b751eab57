/// What calls do, and what they need before they can end.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using trace::Action;
using trace::Parameters;

namespace {

/// A request number that a damaged trace may have, and no program.
constexpr std::int32_t kMostRequests = 1 << 24;

Envelope envelope_of(const Parameters& call) {
    return {.action = call.action,
            .function = call.function,
            .object = call.object,
            .peer = call.peer,
            .tag = call.tag,
            .source = call.source,
            .source_tag = call.source_tag,
            .bytes = call.bytes,
            .posted = call.posted,
            .partitions = call.action == Action::prepare_send ? call.detail : 0,
            .counts = {call.counts.begin(), call.counts.end()}};
}

bool is_send(Action action) {
    return action == Action::send || action == Action::prepare_send || action == Action::send_receive;
}

bool is_receive(Action action) {
    return action == Action::receive || action == Action::prepare_receive || action == Action::send_receive;
}

}  // namespace

Request* Replayer::make_request(Actor& actor, std::int32_t number) {
    if (number < 0 || number >= kMostRequests) return nullptr;
    std::vector<Request>& requests = ranks_[actor.rank].requests;
    if (static_cast<std::size_t>(number) >= requests.size()) requests.resize(static_cast<std::size_t>(number) + 1);
    Request& made = requests[static_cast<std::size_t>(number)];
    made = {};
    return &made;
}

Request* Replayer::request_of(Actor& actor, std::int32_t number) {
    return numbered(ranks_[actor.rank].requests, number);
}

RankObject* Replayer::object_of(const Actor& actor, std::int32_t number) {
    return numbered(ranks_[actor.rank].objects, number);
}

std::optional<std::uint32_t> Replayer::peer_of(const Actor& actor, std::int32_t object, std::int32_t peer) {
    if (peer < 0) return std::nullopt;
    const RankObject* over = object_of(actor, object);
    const std::int32_t index = over == nullptr ? Group::kUnknown : objects_[over->job_object].members.index(peer);
    if (index == Group::kUnknown) {
        remark("messages to or from ranks that the trace does not have are left out");
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(index);
}

std::uint32_t Replayer::channel(std::uint32_t group, std::int32_t tag, std::uint32_t from, std::uint32_t to) {
    const ChannelKey key{.group = group, .tag = tag, .source = from, .destination = to};
    const std::uint32_t part = common_.part_of_rank[to];
    if (part == part_.number) return channels_.number(key);
    const auto [number, added] = away_.number(key, part);
    if (added) letters_[part].channels.push_back(key);
    return number;
}

/// A call that is not replayed takes what it took.
void Replayer::spend(Actor& actor, double ns) {
    actor.now.ns += ns;
    actor.times.overhead_ns += ns;
}

Need Replayer::post_send(Actor& actor, const Envelope& envelope) {
    const auto to = peer_of(actor, envelope.object, envelope.peer);
    if (!to) return {};
    const std::uint32_t context = objects_[object_of(actor, envelope.object)->job_object].context;
    return send(actor, channel(context, envelope.tag, actor.rank, *to),
                charge(actor.rank, *to, envelope.bytes, functions_[envelope.function].protocol()), envelope.bytes);
}

Need Replayer::post_receive(Actor& actor, std::int32_t object, std::int32_t source, std::int32_t tag,
                            const Moment& posted) {
    const auto from = peer_of(actor, object, source);
    if (!from) return {};
    const std::uint32_t context = objects_[object_of(actor, object)->job_object].context;
    return claim(actor, channel(context, tag, *from, actor.rank), posted);
}

void Replayer::need(Actor& actor, Request* request, const Need& need) {
    if (need.kind == Need::Kind::none) return;
    if (request == nullptr) {
        actor.needs.push_back(need);
    } else {
        (request->first.kind == Need::Kind::none ? request->first : request->second) = need;
    }
}

Link Replayer::find_link(Actor& actor, const Plan& plan) {
    Link link{.known = true};
    const bool sends = plan.kind == Plan::Kind::send;
    const Parameters& call = absolute(actor, plan.what->signature.parameters, plan.what->relative);
    if (const auto peer = peer_of(actor, call.object, sends ? call.peer : call.source)) {
        const std::uint32_t job_object = object_of(actor, call.object)->job_object;
        link.within = ranks_[*peer].node == ranks_[actor.rank].node;
        link.channel = channel(objects_[job_object].context, sends ? call.tag : call.source_tag,
                               sends ? actor.rank : *peer, sends ? *peer : actor.rank);
    }
    return link;
}

/// A message of which only the time varies from call to call. \return what it needs to end
Need Replayer::post_planned(Actor& actor, const Plan& plan, std::uint32_t symbol) {
    Link& link = actor.links[symbol];
    if (!link.known) link = find_link(actor, plan);
    if (link.channel == kNothing) return {};
    if (plan.kind == Plan::Kind::receive) return claim(actor, link.channel, actor.now);
    return send(actor, link.channel, link.within ? plan.within : plan.between, plan.bytes);
}

/// Begins what the envelope says. \param request  of a call that is not blocking
void Replayer::post(Actor& actor, const Envelope& envelope, Request* request) {
    if (is_receive(envelope.action)) {
        const bool any = envelope.source == trace::kAny || envelope.source_tag == trace::kAny;
        if (any && request != nullptr) {
            if (!request->prepared) request->prepared = std::make_unique<PreparedRequest>();
            request->prepared->open = true;
            request->prepared->posted = actor.now;
            request->prepared->envelope = envelope;
        } else {
            need(actor, request, post_receive(actor, envelope.object, envelope.source, envelope.source_tag, actor.now));
        }
    }
    if (is_send(envelope.action)) need(actor, request, post_send(actor, envelope));
    if (is_send(envelope.action) || is_receive(envelope.action)) return;
    start_collective(actor, envelope, request);
}

void Replayer::complete(Actor& actor, const Parameters& call) {
    for (const trace::Completion& done : call.completed) {
        if (done.index < 0 || static_cast<std::size_t>(done.index) >= call.requests.size()) continue;
        Request* request = request_of(actor, call.requests[static_cast<std::size_t>(done.index)]);
        if (request == nullptr || request->is_over()) continue;
        for (Need* part : {&request->first, &request->second}) {
            const Need wanted = std::exchange(*part, {});
            const bool in_turn = actor.needs.empty();
            if (!in_turn || !met(actor, wanted)) need(actor, nullptr, wanted);
        }
        if (!request->prepared || !request->prepared->open) continue;
        request->prepared->open = false;
        const Envelope& named = request->prepared->envelope;
        need(actor, nullptr,
             post_receive(actor, named.object, named.source == trace::kAny ? done.source : named.source,
                          named.source_tag == trace::kAny ? done.tag : named.source_tag, request->prepared->posted));
    }
}

void Replayer::probe(Actor& actor, const Parameters& call) {
    const std::int32_t source = call.source == trace::kAny ? call.matched_source : call.source;
    const std::int32_t tag = call.source_tag == trace::kAny ? call.matched_tag : call.source_tag;
    if (Request* message = make_request(actor, call.request); message != nullptr) {
        need(actor, message, post_receive(actor, call.object, source, tag, actor.now));
    }
    remark("a probe ends at once: what follows it waits for the message");
}

/// A partitioned message is one message, which leaves with its last partition.
void Replayer::make_ready(Actor& actor, const Parameters& call) {
    const std::int64_t partitions =
        functions_[call.function].operation == "Pready" ? 1 : std::max<std::int64_t>(call.detail, 0);
    for (const std::int32_t number : call.requests) {
        Request* request = request_of(actor, number);
        if (request == nullptr || !request->prepared || request->prepared->unready <= 0) continue;
        request->prepared->unready -= partitions;
        if (request->prepared->unready > 0) continue;
        const Envelope envelope = request->prepared->envelope;
        post(actor, envelope, request);
    }
}

/// A receive that has met no message is not in the way of others; a send stays.
void Replayer::cancel(Actor& actor, std::int32_t number) {
    Request* request = request_of(actor, number);
    if (request == nullptr) return;
    if (request->prepared) request->prepared->open = false;
    for (Need* part : {&request->first, &request->second}) {
        if (part->kind != Need::Kind::message) continue;
        Channel& taken = channels_[part->index];
        if (part->number >= taken.sent && part->number + 1 == taken.claimed) --taken.claimed;
        *part = {};
    }
}

/// Polls that found nothing are part of the wait that ends with the success, unless the program computed between them:
/// then it had something else to do (as in the wait analysis, design 011).
bool Replayer::polls(Actor& actor, const Parameters& call, const trace::TracedCall& times) {
    constexpr double kBetweenPolls_ns = 1000;
    const bool asks = call.action == Action::complete || call.action == Action::probe ||
                      functions_[call.function].role.epoch == trace::Epoch::wait;
    const bool found = call.action == Action::complete ? !call.completed.empty() || call.requests.empty() : call.found;
    if (!asks || found) return false;
    const auto span_ns = static_cast<double>(times.end_ns - times.begin_ns);
    const double within_ns = times.times > 1 ? std::min(static_cast<double>(times.polling_ns), span_ns) : span_ns;
    if (span_ns - within_ns <= kBetweenPolls_ns * static_cast<double>(times.times)) return true;
    const double between_ns = computing_ns(actor, span_ns - within_ns);
    actor.now.ns += between_ns;
    actor.begin = actor.now;
    actor.times.compute_ns += between_ns;
    spend(actor, within_ns);
    return true;
}

void Replayer::begin_call(Actor& actor, const Parameters& call, const trace::TracedCall& times) {
    const auto recorded_ns = static_cast<double>(times.end_ns - times.begin_ns);
    if (polls(actor, call, times)) return;
    switch (call.action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::collective:
            if (call.message != trace::kNone) {
                // The probe has taken it.
                if (Request* found = request_of(actor, call.message); found != nullptr) {
                    const Need taken = std::exchange(found->first, {});
                    need(actor, make_request(actor, call.request), taken);
                }
            } else if (Request* request = make_request(actor, call.request); request != nullptr) {
                post(actor, envelope_of(call), request);
            } else {
                Envelope envelope = envelope_of(call);
                if (envelope.source == trace::kAny) envelope.source = call.matched_source;
                if (envelope.source_tag == trace::kAny) envelope.source_tag = call.matched_tag;
                post(actor, envelope, nullptr);
            }
            break;
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::prepare_collective:
            if (Request* request = make_request(actor, call.request); request != nullptr) {
                request->prepared = std::make_unique<PreparedRequest>();
                request->prepared->persistent = true;
                request->prepared->envelope = envelope_of(call);
            }
            break;
        case Action::start:
            for (const std::int32_t number : call.requests) {
                Request* request = request_of(actor, number);
                if (request == nullptr || !request->prepared || !request->prepared->persistent) continue;
                const Envelope envelope = request->prepared->envelope;
                request->prepared->unready = envelope.partitions;
                if (envelope.partitions <= 0) post(actor, envelope, request);
            }
            break;
        case Action::complete: complete(actor, call); break;
        case Action::cancel:
            for (const std::int32_t number : call.requests) cancel(actor, number);
            break;
        case Action::probe: probe(actor, call); break;
        case Action::make_object: learn_neighbours(actor, call); [[fallthrough]];
        case Action::free_object: {
            Request* request = make_request(actor, call.request);
            if (functions_[call.function].role.role == trace::Role::none) {
                spend(actor, recorded_ns);
            } else {
                start_collective(actor, envelope_of(call), request);
            }
            break;
        }
        case Action::finalise: join_all(actor); break;
        case Action::rma: operate(actor, call); break;
        case Action::rma_sync: synchronise(actor, call); break;
        case Action::file:
        case Action::file_collective: remark("operations of files take as long as recorded"); [[fallthrough]];
        case Action::none:
            if (functions_[call.function].readies) {
                make_ready(actor, call);
                break;
            }
            [[fallthrough]];
        default: spend(actor, recorded_ns); break;
    }
}

}  // namespace waywiser::simulate
