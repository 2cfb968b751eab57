#include "explain/posting.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::explain {

using trace::Action;
using trace::Parameters;

namespace {

std::vector<mpi::CallRole> roles_of(const trace::TraceJob& job) {
    std::vector<mpi::CallRole> roles;
    roles.reserve(job.functions.size());
    for (const std::string& function : job.functions) roles.push_back(mpi::call_role(function));
    return roles;
}

}  // namespace

Posting::Posting(const trace::TraceJob& job, Reading& reading, InFlight& in_flight, CriticalPaths& paths, Needs& needs,
                 Omissions& omissions)
    : job_(job),
      reading_(reading),
      in_flight_(in_flight),
      messages_(in_flight.messages),
      paths_(paths),
      needs_(needs),
      omissions_(omissions),
      members_(job),
      roles_(roles_of(job)),
      rank_index_(mpi::rank_indices(job)),
      ranks_(job.ranks.size()) {
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
        for (const std::uint32_t object : job.ranks[rank].objects) {
            ranks_[rank].objects.push_back({.group = in_flight.group_of.at(object),
                                            .job_object = object,
                                            .epochs = nullptr,
                                            .neighbours = nullptr});
        }
    }
}

void Posting::finish(std::uint32_t rank) {
    for (const Object& object : ranks_[rank].objects) {
        for (const std::uint32_t stream : in_flight_.groups[object.group].ends_after(object.collectives)) {
            needs_.met(stream, Need::Kind::collective, object.group);
        }
    }
}

void Posting::complete(Stream& stream, const Parameters& call) {
    ranks_[stream.rank].requests.each_completed(call, [&](Request& request, const trace::Completion& done) {
        for (const Need& need : request.needs) stream.needs.push_back(need);
        request.needs.clear();
        if (!request.any.there) return;
        mpi::Selector from = request.prepared.from;
        from.settle(done.source, done.tag);
        post_receive(stream, request.prepared.object, from, std::exchange(request.any, {}), stream.needs);
    });
}

void Posting::probe(Stream& stream, const Parameters& call) {
    if (!call.found) return;
    mpi::Selector from{.source = call.source, .tag = call.source_tag};
    from.settle(call.matched_source, call.matched_tag);
    if (Request* message = ranks_[stream.rank].requests.make(call.request)) {
        // The probe takes the message here, and only its bytes are received later.
        message->renew({}, false);
        post_receive(stream, call.object, from, stream.posted(), stream.needs);
        return;
    }
    if (from.source < 0) return;
    const std::uint32_t channel = channel_of(stream.rank, call.object, from.source, trace::kNone, from.tag);
    if (channel != kNothing) stream.needs.push_back({.kind = Need::Kind::probed, .index = channel});
}

/// Withdraws a receive that has met no message, so that later ones move up; a send stays.
void Posting::cancel(Request& request) {
    paths_.drop(request.any.point);
    request.any = {};
    std::erase_if(request.needs, [&](const Need& need) {
        if (need.kind != Need::Kind::received || messages_[need.index].send.there) return false;
        messages_.withdraw(need.index);
        return true;
    });
}

void Posting::post(Stream& stream) {
    const Parameters& call = stream.cursor.parameters();
    RankState& rank = ranks_[stream.rank];
    std::vector<Need>& needs = stream.needs;
    needs.clear();
    switch (call.action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::collective:
        case Action::make_object:
        case Action::file_collective:
            if (call.action == Action::make_object) mpi::learn_neighbours(rank.objects, roles_[call.function], call);
            if (call.message != trace::kNone) break;  // The probe has already met the message.
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
            const Part part{.role = Role::finalise};
            needs.push_back({.kind = Need::Kind::collective, .index = in_flight_.world, .part = part});
            arrive(stream, in_flight_.world, 0, part);
            break;
        }
        default: break;
    }
}

}  // namespace waywiser::explain
