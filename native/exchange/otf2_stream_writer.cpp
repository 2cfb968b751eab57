#include "exchange/otf2_stream_writer.hpp"

#include "exchange/otf2_calls.hpp"
#include "mpi/calls.hpp"

namespace waywiser::exchange::otf2 {

using trace::Action;
using trace::kNone;
using trace::Parameters;
using Kind = trace::TraceObject::Kind;

namespace {

/// OTF2_RmaAtomicType of an operation that is neither a put nor a get.
std::uint8_t atomic_type(std::string_view function) {
    enum : std::uint8_t { kAccumulate = 0, kCompareAndSwap = 3, kFetchAndAccumulate = 7 };
    if (function.find("ccumulate") == function.npos || function.find("Get_") != function.npos) {
        return function.starts_with("MPI_Compare") ? kCompareAndSwap : kFetchAndAccumulate;
    }
    return kAccumulate;
}

}  // namespace

StreamWriter::StreamWriter(const Library& library, EvtWriter* writer, const trace::TraceJob& job,
                           const trace::TraceRank* rank, std::vector<Definition>& objects, Strings& strings)
    : otf2_(library),
      writer_(writer),
      job_(job),
      rank_(rank),
      objects_(objects),
      strings_(strings),
      attributes_(library.AttributeList_New()) {
    if (rank == nullptr) return;
    std::unordered_map<std::uint32_t, std::int32_t> firsts;
    for (const std::uint32_t object : rank->objects) {
        const auto number = static_cast<std::int32_t>(first_numbers_.size());
        first_numbers_.push_back(firsts.try_emplace(object, number).first->second);
    }
}

StreamWriter::~StreamWriter() { otf2_.AttributeList_Delete(attributes_); }

Definition* StreamWriter::definition(std::int32_t object, Kind kind) const {
    const std::uint32_t* of_job = rank_ == nullptr ? nullptr : mpi::numbered(rank_->objects, object);
    if (of_job == nullptr) return nullptr;
    Definition& defined = objects_.at(*of_job);
    return job_.objects[*of_job].kind == kind && defined.comm != kUndefined ? &defined : nullptr;
}

Ref StreamWriter::communicator(std::int32_t object) const {
    const Definition* const defined = definition(object, Kind::communicator);
    return defined == nullptr ? kUndefined : defined->comm;
}

std::int32_t StreamWriter::first_number(std::int32_t object) const {
    return first_numbers_.at(static_cast<std::size_t>(object));
}

bool StreamWriter::is_message(const Parameters& call, std::int32_t partner, std::int32_t tag) const {
    return partner >= 0 && tag >= 0 && communicator(call.object) != kUndefined;
}

void StreamWriter::add(Attribute attribute, std::uint64_t value) {
    failures_ += otf2_.AttributeList_AddAttribute(attributes_, attribute, kAttributeDefinitions.at(attribute).type,
                                                  Value{.uint64 = value});
}

void StreamWriter::add_text(Attribute attribute, const std::string& text) { add(attribute, strings_(text)); }

void StreamWriter::add_attributes(const trace::TracedCall& call, const Parameters& parameters) {
    for (Ref i = 0; i < kNumbers.size(); ++i) {
        const std::int32_t number = parameters.*kNumbers[i];
        if (number != noted_.*kNumbers[i]) add(Attribute{i}, static_cast<std::uint32_t>(number));
    }
    if (parameters.bytes != noted_.bytes) add(kBytes, parameters.bytes);
    if (parameters.posted != noted_.posted) add(kPosted, parameters.posted);
    if (parameters.detail != noted_.detail) add(kDetail, static_cast<std::uint64_t>(parameters.detail));
    if (parameters.action != noted_.action) add(kAction, static_cast<std::uint64_t>(parameters.action));
    if (!parameters.found) add(kFound, 0);
    if (parameters.site != 0) add(kSite, parameters.site);
    if (!parameters.requests.empty()) add_text(kRequests, listed(parameters.requests));
    if (!parameters.counts.empty()) add_text(kCounts, listed(parameters.counts));
    if (!parameters.completed.empty()) {
        std::vector<std::int32_t> triples;
        for (const auto& [index, source, tag] : parameters.completed)
            triples.insert(triples.end(), {index, source, tag});
        add_text(kCompleted, listed(std::span<const std::int32_t>(triples)));
    }
    if (call.times != 1) {
        add(kTimes, call.times);
        add(kPollingNs, call.polling_ns);
    }
}

void StreamWriter::start(Pending& request, Time time) {
    const Parameters& call = request.call;
    request.id = ++last_id_;
    switch (request.kind) {
        case Pending::Kind::send:
            note_send(noted_, first_number(call.object), static_cast<std::uint32_t>(call.peer),
                      static_cast<std::uint32_t>(call.tag), call.bytes);
            put(otf2_.EvtWriter_MpiIsend, time, static_cast<std::uint32_t>(call.peer), communicator(call.object),
                static_cast<std::uint32_t>(call.tag), call.bytes, request.id);
            break;
        case Pending::Kind::receive: put(otf2_.EvtWriter_MpiIrecvRequest, time, request.id); break;
        case Pending::Kind::collective: put(otf2_.EvtWriter_NonBlockingCollectiveRequest, time, request.id); break;
        case Pending::Kind::other: break;
    }
}

void StreamWriter::rma(const Parameters& call, Ref window, Time time) {
    const std::string& function = job_.functions.at(call.function);
    const auto target = static_cast<std::uint32_t>(call.peer);
    const std::uint64_t id = ++last_id_;
    if (function.find("Put") != function.npos || function.find("put") != function.npos) {
        put(otf2_.EvtWriter_RmaPut, time, window, target, call.bytes, id);
        note_rma(noted_, first_number(call.object), target, call.bytes, 0);
    } else if (function.starts_with("MPI_Get") && !function.starts_with("MPI_Get_")) {
        put(otf2_.EvtWriter_RmaGet, time, window, target, call.posted, id);
        note_rma(noted_, first_number(call.object), target, 0, call.posted);
    } else {
        put(otf2_.EvtWriter_RmaAtomic, time, window, target, atomic_type(function), call.bytes, call.posted, id);
        note_rma(noted_, first_number(call.object), target, call.bytes, call.posted);
    }
    put(otf2_.EvtWriter_RmaOpCompleteNonBlocking, time, window, id);
}

void StreamWriter::write_begin(const Parameters& call, Time time) {
    const std::string& function = job_.functions.at(call.function);
    const bool sends = is_message(call, call.peer, call.tag);
    const bool has_request = call.request != kNone;
    Pending request{.call = call};
    request.call.requests = {};  // These lists belong to the call, which is over by then.
    request.call.completed = {};
    request.call.counts = {};
    switch (call.action) {
        case Action::send:
        case Action::send_receive:
            if (!sends) break;
            if (has_request) {
                if (call.action == Action::send) request.kind = Pending::Kind::send;
                break;
            }
            put(otf2_.EvtWriter_MpiSend, time, static_cast<std::uint32_t>(call.peer), communicator(call.object),
                static_cast<std::uint32_t>(call.tag), call.bytes);
            note_send(noted_, first_number(call.object), static_cast<std::uint32_t>(call.peer),
                      static_cast<std::uint32_t>(call.tag), call.bytes);
            break;
        case Action::receive:
            if (communicator(call.object) != kUndefined) request.kind = Pending::Kind::receive;
            break;
        case Action::prepare_send:
            request.persistent = true;
            if (sends) request.kind = Pending::Kind::send;
            break;
        case Action::prepare_receive:
            request.persistent = true;
            if (communicator(call.object) != kUndefined) request.kind = Pending::Kind::receive;
            break;
        case Action::collective:
        case Action::make_object:
            if (communicator(call.object) == kUndefined) break;
            if (call.action == Action::collective && operation_of(function) == kNoOperation) break;
            request.kind = Pending::Kind::collective;
            if (!has_request) put(otf2_.EvtWriter_MpiCollectiveBegin, time);
            break;
        case Action::start:
            for (const std::int32_t slot : call.requests) {
                if (const auto at = requests_.find(slot); at != requests_.end()) start(at->second, time);
            }
            break;
        case Action::cancel:
            for (const std::int32_t slot : call.requests) {
                const auto at = requests_.find(slot);
                if (at == requests_.end() || at->second.id == 0) continue;
                put(otf2_.EvtWriter_MpiRequestCancelled, time, at->second.id);
            }
            break;
        case Action::rma:
            if (const Definition* const window = definition(call.object, Kind::window);
                window != nullptr && call.peer >= 0) {
                rma(call, window->window, time);
            }
            break;
        case Action::rma_sync:
            if (function == "MPI_Win_fence" && definition(call.object, Kind::window) != nullptr) {
                put(otf2_.EvtWriter_RmaCollectiveBegin, time);
            }
            break;
        default: break;
    }
    if (has_request) {
        Pending& kept = requests_[call.request] = request;
        if (!request.persistent) start(kept, time);
    }
}

void StreamWriter::write_collective_end(const Parameters& call, Time time) {
    const Definition* const comm = definition(call.object, Kind::communicator);
    const bool makes = call.action == Action::make_object;
    const std::uint8_t operation = makes ? std::uint8_t{kCreateHandle} : operation_of(job_.functions.at(call.function));
    if (comm == nullptr || operation == kNoOperation || call.request != kNone) return;
    const auto [sent, received] = multipliers_of(operation, comm->processes);
    const std::uint32_t root = makes ? kRootNone : root_record(call.peer);
    put(otf2_.EvtWriter_MpiCollectiveEnd, time, operation, comm->comm, root, call.bytes * sent, call.posted * received);
    noted_.object = first_number(call.object);
    noted_.peer = root_peer(root);
    noted_.bytes = call.bytes;
    noted_.posted = call.posted;
}

void StreamWriter::complete(const Parameters& call, Time time) {
    for (const auto& [index, source, tag] : call.completed) {
        if (index < 0 || static_cast<std::size_t>(index) >= call.requests.size()) continue;
        const auto at = requests_.find(call.requests[static_cast<std::size_t>(index)]);
        if (at == requests_.end() || at->second.id == 0) continue;
        Pending& request = at->second;
        const Parameters& call_of_request = request.call;
        const std::int32_t from = source >= 0 ? source : call_of_request.source;
        const std::int32_t with = tag >= 0 ? tag : call_of_request.source_tag;
        if (request.kind == Pending::Kind::send) {
            put(otf2_.EvtWriter_MpiIsendComplete, time, request.id);
        } else if (request.kind == Pending::Kind::receive && from >= 0 && with >= 0) {
            put(otf2_.EvtWriter_MpiIrecv, time, static_cast<std::uint32_t>(from), communicator(call_of_request.object),
                static_cast<std::uint32_t>(with), call_of_request.posted, request.id);
        } else if (request.kind == Pending::Kind::collective) {
            const bool makes = call_of_request.action == Action::make_object;
            const std::uint8_t operation =
                makes ? std::uint8_t{kCreateHandle} : operation_of(job_.functions.at(call_of_request.function));
            const Definition& comm = *definition(call_of_request.object, Kind::communicator);
            const auto [sent, received] = multipliers_of(operation, comm.processes);
            put(otf2_.EvtWriter_NonBlockingCollectiveComplete, time, operation, comm.comm,
                makes ? kRootNone : root_record(call_of_request.peer), call_of_request.bytes * sent,
                call_of_request.posted * received, request.id);
        }
        request.id = 0;
        if (!request.persistent) requests_.erase(at);
    }
    if (call.found) return;
    for (const std::int32_t slot : call.requests) {
        const auto at = requests_.find(slot);
        if (at == requests_.end() || at->second.id == 0) continue;
        put(otf2_.EvtWriter_MpiRequestTest, time, at->second.id);
    }
}

void StreamWriter::make_object(const Parameters& call, Time time) {
    if (Definition* const comm = definition(call.created, Kind::communicator); comm != nullptr) {
        put(otf2_.EvtWriter_CommCreate, time, comm->comm);
        comm->created = true;
        noted_.created = first_number(call.created);
    } else if (Definition* const window = definition(call.created, Kind::window); window != nullptr) {
        put(otf2_.EvtWriter_RmaWinCreate, time, window->window);
        window->created = true;
        noted_.created = first_number(call.created);
    }
    write_collective_end(call, time);
}

void StreamWriter::free_object(const Parameters& call, Time time) {
    if (Definition* const comm = definition(call.object, Kind::communicator); comm != nullptr) {
        put(otf2_.EvtWriter_CommDestroy, time, comm->comm);
        comm->created = true;
        noted_.object = first_number(call.object);
    } else if (Definition* const window = definition(call.object, Kind::window); window != nullptr) {
        put(otf2_.EvtWriter_RmaWinDestroy, time, window->window);
        window->created = true;
        noted_.object = first_number(call.object);
    }
}

void StreamWriter::write_end(const Parameters& call, Time time) {
    const std::int32_t from = call.matched_source >= 0 ? call.matched_source : call.source;
    const std::int32_t with = call.matched_tag >= 0 ? call.matched_tag : call.source_tag;
    switch (call.action) {
        case Action::send_receive:
        case Action::receive:
            if (call.request == kNone && is_message(call, from, with)) {
                put(otf2_.EvtWriter_MpiRecv, time, static_cast<std::uint32_t>(from), communicator(call.object),
                    static_cast<std::uint32_t>(with), call.posted);
                note_receive(noted_, first_number(call.object), static_cast<std::uint32_t>(from),
                             static_cast<std::uint32_t>(with), call.posted);
            }
            break;
        case Action::complete: complete(call, time); break;
        case Action::collective: write_collective_end(call, time); break;
        case Action::make_object: make_object(call, time); break;
        case Action::free_object: free_object(call, time); break;
        case Action::rma_sync:
            if (const Definition* const window = definition(call.object, Kind::window);
                window != nullptr && job_.functions.at(call.function) == "MPI_Win_fence") {
                constexpr std::uint32_t kProcessAndMemory = 3;  // These are values of OTF2_RmaSyncLevel.
                put(otf2_.EvtWriter_RmaCollectiveEnd, time, kBarrier, kProcessAndMemory, window->window, kRootNone, 0,
                    0);
                noted_.object = first_number(call.object);
            }
            break;
        case Action::free_request:
            for (const std::int32_t slot : call.requests) requests_.erase(slot);
            break;
        default: break;
    }
}

void StreamWriter::write(const trace::TracedCall& call, const Parameters& parameters) {
    noted_ = Parameters{};
    noted_.action = action_of(job_.functions.at(parameters.function));
    failures_ += otf2_.EvtWriter_Enter(writer_, nullptr, call.begin_ns, parameters.function);
    write_begin(parameters, call.begin_ns);
    write_end(parameters, call.end_ns);
    add_attributes(call, parameters);
    failures_ += otf2_.EvtWriter_Leave(writer_, attributes_, call.end_ns, parameters.function);
}

}  // namespace waywiser::exchange::otf2
