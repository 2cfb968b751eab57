/// What calls do, and what they need before they can end.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using trace::Action;
using trace::Parameters;

/// Null if the request is none, or an ordinary one.
SpecialRequest* Replayer::special_of(const Actor& actor, std::int32_t number) {
    const Need* request = request_of(actor, number);
    return request != nullptr && request->kind() == Need::Kind::special ? &special_requests_[request->index()]
                                                                        : nullptr;
}

SpecialRequest& Replayer::make_special(Need& request) {
    if (request.kind() == Need::Kind::special) return special_requests_[request.index()];
    const std::uint32_t number = special_requests_.acquire();
    SpecialRequest& made = special_requests_[number] = {};
    made.first = std::exchange(request, {Need::Kind::special, number});
    return made;
}

RankObject* Replayer::object_of(const Actor& actor, std::int32_t number) {
    return mpi::numbered(ranks_[actor.rank].objects, number);
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
    return part == part_.number ? channels_.number(key) : mail_.channel(key, part);
}

/// A call that is not replayed takes what it took.
void Replayer::spend(Actor& actor, double ns) {
    actor.now.add(ns);
    actor.overhead_ns += ns;
}

Need Replayer::post_send(Actor& actor, const Description& described) {
    const auto to = peer_of(actor, described.object, described.peer);
    if (!to) return {};
    const std::uint32_t context = objects_[object_of(actor, described.object)->job_object].context;
    const Charge costs = charge(actor.rank, *to, described.bytes, functions_[described.function].protocol());
    return send(actor, channel(context, described.tag, actor.rank, *to), joined(actor, *to, costs, described.bytes),
                described.bytes);
}

Need Replayer::post_receive(Actor& actor, std::int32_t object, mpi::Selector wanted, const Moment& posted) {
    const auto from = peer_of(actor, object, wanted.source);
    if (!from) return {};
    const std::uint32_t context = objects_[object_of(actor, object)->job_object].context;
    return claim(actor, channel(context, wanted.tag, *from, actor.rank), posted);
}

void Replayer::need(Actor& actor, Need* request, const Need& need) {
    if (need.is_none()) return;
    if (request == nullptr) {
        actor.needs.push_back(need);
    } else if (request->is_none()) {
        *request = need;
    } else {
        SpecialRequest& special = make_special(*request);
        (special.first.is_none() ? special.first : special.second) = need;
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
        const bool made = request_of(actor, plan.request) != nullptr;
        const bool eager = (link.channel & kAway) == 0 && (link.within ? plan.within : plan.between).eager;
        if (made && !sends) link.in_row = Link::InRow::receive;
        if (made && sends && eager) link.in_row = Link::InRow::send;
    }
    return link;
}

/// Begins what the described says. \param request  of a call that is not blocking
void Replayer::post(Actor& actor, const Description& described, Need* request) {
    const bool receives = mpi::receives(described.action);
    if (receives) {
        if (described.from.has_wildcard() && request != nullptr) {
            SpecialRequest& special = make_special(*request);
            special.open = true;
            special.posted = actor.now;
            special.described = described;
        } else {
            need(actor, request, post_receive(actor, described.object, described.from, actor.now));
        }
    }
    const bool sends = mpi::sends(described.action);
    if (sends) need(actor, request, post_send(actor, described));
    if (sends || receives) return;
    start_collective(actor, described, request);
}

void Replayer::complete(Actor& actor, const Parameters& call) {
    actor.needs.reserve(actor.needs.size() + call.completed.size());
    ranks_[actor.rank].requests.each_completed(call, [&](Need& request, const trace::Completion& done) {
        if (request.is_none()) return;
        if (request.kind() == Need::Kind::special) return complete_special(actor, request, done);
        actor.needs.push_back(std::exchange(request, {}));
    });
}

void Replayer::complete_special(Actor& actor, Need& request, const trace::Completion& done) {
    SpecialRequest& special = special_requests_[request.index()];
    need(actor, nullptr, std::exchange(special.first, {}));
    need(actor, nullptr, std::exchange(special.second, {}));
    if (std::exchange(special.open, false)) {
        mpi::Selector from = special.described.from;
        from.settle(done.source, done.tag);
        need(actor, nullptr, post_receive(actor, special.described.object, from, special.posted));
    }
    if (!special.persistent) forget(request);
}

void Replayer::probe(Actor& actor, const Parameters& call) {
    mpi::Selector from{.source = call.source, .tag = call.source_tag};
    from.settle(call.matched_source, call.matched_tag);
    if (Need* message = make_request(actor, call.request); message != nullptr) {
        need(actor, message, post_receive(actor, call.object, from, actor.now));
    }
    remark("a probe ends at once: what follows it waits for the message");
}

/// A partitioned message is one message, which leaves with its last partition.
void Replayer::make_ready(Actor& actor, const Parameters& call) {
    const std::int64_t partitions =
        functions_[call.function].operation == "Pready" ? 1 : std::max<std::int64_t>(call.detail, 0);
    for (const std::int32_t number : call.requests) {
        SpecialRequest* special = special_of(actor, number);
        if (special == nullptr || special->unready <= 0) continue;
        special->unready -= partitions;
        if (special->unready > 0) continue;
        const Description described = special->described;
        post(actor, described, request_of(actor, number));
    }
}

/// A receive that has met no message is not in the way of others; a send stays.
void Replayer::cancel(Actor& actor, std::int32_t number) {
    Need* request = request_of(actor, number);
    if (request == nullptr) return;
    SpecialRequest* special = special_of(actor, number);
    if (special == nullptr) return withdraw(*request);
    special->open = false;
    withdraw(special->first);
    withdraw(special->second);
}

void Replayer::withdraw(Need& receive) {
    if (receive.kind() != Need::Kind::message) return;
    Channel& taken = channels_[receive.index()];
    if (receive.number() >= taken.sent && receive.number() + 1 == taken.claimed) taken.withdraw(receive.number());
    receive = {};
}

/// Polls that found nothing are part of the wait that ends with the success. They are not if the program computed
/// between them, because it then had something else to do (as in the wait analysis, design 011).
bool Replayer::polls(Actor& actor, const Parameters& call, const trace::TracedCall& times) {
    const bool may_poll = mpi::may_poll(call.action, functions_[call.function].role);
    const bool found = call.action == Action::complete ? !call.completed.empty() || call.requests.empty() : call.found;
    if (!may_poll || found) return false;
    const auto span_ns = static_cast<double>(times.end_ns - times.begin_ns);
    const double within_ns = times.times > 1 ? std::min(static_cast<double>(times.polling_ns), span_ns) : span_ns;
    if (span_ns - within_ns <= kNoComputing_ns * static_cast<double>(times.times)) return true;
    computing_.pass(actor, span_ns - within_ns);
    actor.begin = actor.now;
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
                Need* found = request_of(actor, call.message);
                if (found != nullptr && found->kind() != Need::Kind::special) {
                    const Need taken = std::exchange(*found, {});
                    need(actor, make_request(actor, call.request), taken);
                }
            } else if (Need* request = make_request(actor, call.request); request != nullptr) {
                post(actor, mpi::description_of(call), request);
            } else {
                Description described = mpi::description_of(call);
                described.from.settle(call.matched_source, call.matched_tag);
                post(actor, described, nullptr);
            }
            break;
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::prepare_collective:
            if (Need* request = make_request(actor, call.request); request != nullptr) {
                SpecialRequest& special = make_special(*request);
                special.persistent = true;
                special.described = mpi::description_of(call);
            }
            break;
        case Action::start:
            for (const std::int32_t number : call.requests) {
                SpecialRequest* special = special_of(actor, number);
                if (special == nullptr || !special->persistent) continue;
                const Description described = special->described;
                special->unready = described.partitions;
                if (described.partitions <= 0) post(actor, described, request_of(actor, number));
            }
            break;
        case Action::complete: complete(actor, call); break;
        case Action::cancel:
            for (const std::int32_t number : call.requests) cancel(actor, number);
            break;
        case Action::probe: probe(actor, call); break;
        case Action::make_object:
            mpi::learn_neighbours(ranks_[actor.rank].objects, functions_[call.function].role, call);
            [[fallthrough]];
        case Action::free_object: {
            Need* request = make_request(actor, call.request);
            if (functions_[call.function].role.role == mpi::Role::none) {
                spend(actor, recorded_ns);
            } else {
                start_collective(actor, mpi::description_of(call), request);
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
