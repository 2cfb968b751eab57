/// The effects of calls, and the needs that they must meet before they end.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

using trace::Action;
using trace::Parameters;

/// The request's special state; null if there is none, or if the request is an ordinary one.
SpecialRequest* Replayer::special_of(const Actor& actor, std::int32_t number) {
    const Need* request = request_of(actor, number);
    return request != nullptr && request->kind() == Need::Kind::special ? &special_requests_[request->index()]
                                                                        : nullptr;
}

SpecialRequest& Replayer::make_special(Need& request) {
    if (request.kind() == Need::Kind::special) return special_requests_[request.index()];
    const std::uint32_t number = special_requests_.acquire();
    SpecialRequest& special_request = special_requests_[number] = {};
    special_request.first = std::exchange(request, {Need::Kind::special, number});
    return special_request;
}

void Replayer::need(Actor& actor, Need* request, const Need& need) {
    if (request == nullptr) {
        actor.need(need);
    } else if (request->is_none()) {
        *request = need;
    } else if (!need.is_none()) {
        SpecialRequest& special = make_special(*request);
        (special.first.is_none() ? special.first : special.second) = need;
    }
}

/// Starts the described operations.
/// \param request  need of a nonblocking call
void Replayer::post(Actor& actor, const Description& described, Need* request) {
    const bool receives = mpi::receives(described.action);
    if (receives) {
        if (described.from.has_wildcard() && request != nullptr) {
            SpecialRequest& special = make_special(*request);
            special.open = true;
            special.posted = actor.now;
            special.described = described;
        } else {
            need(actor, request, messages_.receive(actor, described.object, described.from, actor.now));
        }
    }
    const bool sends = mpi::sends(described.action);
    if (sends) need(actor, request, messages_.send(actor, described));
    if (sends || receives) return;
    start_collective(actor, described, request);
}

std::uint32_t Replayer::make_agent(const Actor& actor) {
    std::uint32_t number = static_cast<std::uint32_t>(actors_.size());
    if (free_agents_.empty()) {
        actors_.add();
        schedule_.add();
    } else {
        number = free_agents_.back();
        free_agents_.pop_back();
    }
    Actor& agent = actors_[number];
    std::unique_ptr<CollectivePart> part = std::move(agent.part);
    agent = {};
    agent.is_agent = true;
    agent.number = number;
    agent.rank = actor.rank;
    agent.now = actor.now;
    agent.own_nic = ranks_[actor.rank].nic;
    agent.list = actor.list;
    agent.symbol = actor.symbol;
    agent.in_call = true;
    agent.part = std::move(part);
    return number;
}

/// A blocking collective is simulated by the actor itself, a nonblocking one by an agent, which starts now.
void Replayer::start_collective(Actor& actor, const Description& described, Need* request) {
    RankObject* over = common_.object_of(actor, described.object);
    if (over == nullptr) return remark("collectives over objects that the trace does not describe are left out");
    if (request == nullptr) return collectives_.begin(actor, described, kBlocking);
    const std::int32_t tag = kBlocking - 1 - over->collectives++ % kMostAtOnce;
    const std::uint32_t number = make_agent(actor);
    collectives_.begin(actors_[number], described, tag);
    need(actor, request, {Need::Kind::agent, number});
    advance(number);
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
    actor.need(std::exchange(special.first, {}));
    actor.need(std::exchange(special.second, {}));
    if (std::exchange(special.open, false)) {
        mpi::Selector from = special.described.from;
        from.settle(done.source, done.tag);
        actor.need(messages_.receive(actor, special.described.object, from, special.posted));
    }
    if (!special.persistent) forget(request);
}

void Replayer::probe(Actor& actor, const Parameters& call) {
    mpi::Selector from{.source = call.source, .tag = call.source_tag};
    from.settle(call.matched_source, call.matched_tag);
    if (Need* message = make_request(actor, call.request); message != nullptr) {
        need(actor, message, messages_.receive(actor, call.object, from, actor.now));
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

void Replayer::cancel(Actor& actor, std::int32_t number) {
    Need* request = request_of(actor, number);
    if (request == nullptr) return;
    SpecialRequest* special = special_of(actor, number);
    if (special == nullptr) return messages_.withdraw(*request);
    special->open = false;
    messages_.withdraw(special->first);
    messages_.withdraw(special->second);
}

/// Unsuccessful polls are part of the wait that ends with the success, unless the program computed between them (as in
/// the wait analysis, design 011).
bool Replayer::polls(Actor& actor, const Parameters& call, const trace::TracedCall& times) {
    const bool may_poll = mpi::may_poll(call.action, functions_[call.function].role);
    const bool successful =
        call.action == Action::complete ? !call.completed.empty() || call.requests.empty() : call.found;
    if (!may_poll || successful) return false;
    const auto span_ns = static_cast<double>(times.end_ns - times.begin_ns);
    const double within_ns = times.times > 1 ? std::min(static_cast<double>(times.polling_ns), span_ns) : span_ns;
    if (span_ns - within_ns <= kNoComputation_ns * static_cast<double>(times.times)) return true;
    computation_.pass(actor, span_ns - within_ns);
    actor.begin = actor.now;
    actor.spend(within_ns);
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
                Need* probed = request_of(actor, call.message);
                if (probed != nullptr && probed->kind() != Need::Kind::special) {
                    const Need taken = std::exchange(*probed, {});
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
                actor.spend(recorded_ns);
            } else {
                start_collective(actor, mpi::description_of(call), request);
            }
            break;
        }
        case Action::finalise: collectives_.join_all(actor); break;
        case Action::rma: operate(actor, call); break;
        case Action::rma_sync: synchronise(actor, call); break;
        case Action::file:
        case Action::file_collective: remark("operations of files take as long as recorded"); [[fallthrough]];
        case Action::none:
            if (functions_[call.function].readies) return make_ready(actor, call);
            [[fallthrough]];
        default: actor.spend(recorded_ns); break;
    }
}

}  // namespace waywiser::simulate
