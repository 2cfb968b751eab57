#include "exchange/otf2_foreign_stream.hpp"

#include <algorithm>
#include <utility>

#include "exchange/otf2_calls.hpp"
#include "exchange/otf2_fields.hpp"

namespace waywiser::exchange::otf2 {

using trace::Action;
using trace::kNone;
using trace::Parameters;
using Kind = Record::Kind;

namespace {

constexpr std::size_t kMostWaiting = std::size_t{1} << 18;

/// The call of a record outside a region that names the call.
const char* usual_function(Kind kind) {
    switch (kind) {
        case Kind::send: return "MPI_Send";
        case Kind::receive: return "MPI_Recv";
        case Kind::nonblocking_send: return "MPI_Isend";
        case Kind::nonblocking_receive: return "MPI_Irecv";
        case Kind::request_test: return "MPI_Test";
        case Kind::put: return "MPI_Put";
        case Kind::get: return "MPI_Get";
        case Kind::atomic: return "MPI_Accumulate";
        case Kind::send_complete:
        case Kind::receive_complete:
        case Kind::collective_complete:
        case Kind::request_cancelled: return "MPI_Wait";
        default: return nullptr;
    }
}

/// True for calls whose effect replay cannot know without a record inside them.
bool needs_record(Action action) {
    switch (action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::start:
        case Action::collective:
        case Action::rma: return true;
        default: return false;
    }
}

/// True if the name determines a call that lacks its records.
bool known_by_name(Action action) {
    switch (action) {
        case Action::initialise:
        case Action::finalise:
        case Action::complete:
        case Action::phase: return true;
        default: return false;
    }
}

}  // namespace

ForeignStream::ForeignStream(trace::TraceWriter& writer, ForeignObjects& objects, std::int32_t first_request)
    : writer_(writer), objects_(objects), next_request_(first_request) {}

void ForeignStream::enter(std::uint64_t ns, Ref ref) {
    last_ns_ = std::max(last_ns_, ns);
    if (depth_ > 0) {
        ++depth_;
        return;
    }
    const ForeignRegion* const region = objects_.region(ref);
    if (region == nullptr) {
        ++counts_.other_regions;
        return;
    }
    begin(last_ns_, *region);
    depth_ = 1;
}

void ForeignStream::leave(std::uint64_t ns, Ref, const std::vector<AttributeValue>&) {
    last_ns_ = std::max(last_ns_, ns);
    if (depth_ == 0) return;
    --depth_;
    if (depth_ == 0) end(last_ns_);
}

void ForeignStream::begin(std::uint64_t ns, const ForeignRegion& region) {
    region_ = region;
    call_ = {};
    call_.time.begin_ns = ns;
    posted_.clear();
    has_collective_ = false;
}

Parameters& ForeignStream::post(Action action) {
    posted_.emplace_back().parameters.action = action;
    return posted_.back().parameters;
}

void ForeignStream::post_request(std::uint64_t id, bool is_known) {
    // A reused number was free, even if no record shows that (EZTrace's are addresses).
    if (const auto at = requests_.find(id); at != requests_.end()) {
        ++counts_.unfinished;
        free_.push(at->second.number);
        forget(at->second);
        requests_.erase(at);
    }
    std::int32_t number = next_request_;
    if (free_.empty()) {
        ++next_request_;
    } else {
        number = free_.top();
        free_.pop();
    }
    posted_.back().parameters.request = number;
    posted_.back().is_known = is_known;
    const std::uint64_t place = first_waiting_ + waiting_.size() + posted_.size() - 1;
    requests_.insert_or_assign(id, Request{number, place, is_known});
}

ForeignStream::Call* ForeignStream::complete(std::uint64_t id) {
    const auto at = requests_.find(id);
    const bool is_new = at == requests_.end();
    call_.completed.push_back(
        {.index = static_cast<std::int32_t>(call_.requests.size()), .source = kNone, .tag = kNone});
    call_.requests.push_back(is_new ? trace::kUnknown : at->second.number);
    if (is_new) return nullptr;
    const Request request = at->second;
    requests_.erase(at);
    free_.push(request.number);
    return waiting_call(request);
}

/// The call that made a request; null if no call waits for its end.
ForeignStream::Call* ForeignStream::waiting_call(const Request& request) {
    if (request.is_known || request.call < first_waiting_) return nullptr;
    const std::uint64_t place = request.call - first_waiting_;
    Call& call_of_request = place < waiting_.size() ? waiting_[place] : posted_.at(place - waiting_.size());
    call_of_request.is_known = true;
    return &call_of_request;
}

/// Drops a nonblocking call of which the trace has no details.
void ForeignStream::forget(const Request& request) {
    Call* const call_of_request = waiting_call(request);
    if (call_of_request != nullptr && call_of_request->parameters.action == Action::receive)
        call_of_request->parameters.source = trace::kAny;
}

void ForeignStream::test(std::uint64_t id, bool cancelled) {
    if (cancelled && region_.action == Action::complete) {
        if (Call* const call_of_request = complete(id);
            call_of_request != nullptr && call_of_request->parameters.action == Action::receive) {
            call_of_request->parameters.source = trace::kAny;
        }
        return;
    }
    const auto at = requests_.find(id);
    call_.requests.push_back(at == requests_.end() ? trace::kUnknown : at->second.number);
}

void ForeignStream::collective(Parameters& call, const Record& record) const {
    const auto [sent, received] = objects_.counts_destinations()
                                      ? multipliers_of(record.operation, objects_.processes(record.object))
                                      : Multipliers{};
    call.object = objects_.communicator(record.object);
    call.peer = root_peer(record.partner);
    call.bytes = record.bytes / sent;
    call.posted = record.received / received;
}

void ForeignStream::record(const Record& record) {
    last_ns_ = std::max(last_ns_, record.ns);
    const bool is_alone = depth_ == 0;
    if (is_alone) {
        const char* const name = usual_function(record.kind);
        if (name == nullptr) return;
        begin(last_ns_, {.function = objects_.function(name),
                         .action = action_of(name),
                         .test = record.kind == Kind::request_test});
    }
    const auto [kind, ns, partner, object, tag, bytes, received, request, operation] = record;
    Parameters& own = call_.parameters;
    switch (kind) {
        case Kind::send: note_send(post(Action::send), objects_.communicator(object), partner, tag, bytes); break;
        case Kind::nonblocking_send:
            note_send(post(Action::send), objects_.communicator(object), partner, tag, bytes);
            post_request(request, true);
            break;
        case Kind::receive:
            ++counts_.receives;
            note_receive(post(Action::receive), objects_.communicator(object), partner, tag, bytes);
            break;
        case Kind::nonblocking_receive:
            ++counts_.receives;
            post(Action::receive);
            post_request(request, false);
            break;
        case Kind::nonblocking_collective:
            post(Action::collective);
            post_request(request, false);
            break;
        case Kind::send_complete: complete(request); break;
        case Kind::receive_complete:
            if (Call* const call_of_request = complete(request); call_of_request != nullptr) {
                note_receive(call_of_request->parameters, objects_.communicator(object), partner, tag, bytes);
            }
            break;
        case Kind::collective_complete:
            if (Call* const call_of_request = complete(request); call_of_request != nullptr)
                collective(call_of_request->parameters, record);
            break;
        case Kind::request_test:
        case Kind::request_cancelled: test(request, kind == Kind::request_cancelled); break;
        case Kind::collective_end:
            has_collective_ = true;
            collective(own, record);
            break;
        case Kind::create_communicator: own.created = objects_.communicator(object); break;
        case Kind::create_window: own.created = objects_.window(object); break;
        case Kind::free_communicator: own.object = objects_.communicator(object); break;
        case Kind::free_window:
        case Kind::window_collective_end: own.object = objects_.window(object); break;
        case Kind::put:
        case Kind::atomic: note_rma(post(Action::rma), objects_.window(object), partner, bytes, received); break;
        case Kind::get: note_rma(post(Action::rma), objects_.window(object), partner, 0, bytes); break;
    }
    if (is_alone) end(last_ns_);
}

/// Determines the effect of the call from its name and from the records inside it.
void ForeignStream::settle(std::uint64_t ns) {
    const Action named = region_.action;
    const bool both = posted_.size() == 2 && posted_[0].parameters.request == kNone &&
                      posted_[0].parameters.action == Action::send && posted_[1].parameters.action == Action::receive;
    if (both && posted_[1].parameters.request == kNone) {
        Parameters joined = posted_[0].parameters;
        joined.action = Action::send_receive;
        joined.source = posted_[1].parameters.source;
        joined.source_tag = posted_[1].parameters.source_tag;
        joined.posted = posted_[1].parameters.posted;
        posted_.pop_back();
        posted_.front().parameters = joined;
    }
    if (posted_.empty()) posted_.push_back(call_);
    Call& first = posted_.front();
    Parameters& call = first.parameters;
    if (call.action == Action::none) {
        const bool knows_object = call.object != kNone || call.created != kNone;
        if (has_collective_) {
            const bool keeps_name = named != Action::none && named != Action::receive && named != Action::send;
            call.action = keeps_name ? named : Action::collective;
        } else if (knows_object || known_by_name(named)) {
            call.action = named;
        }
        const bool lacks_requests = named == Action::complete && call_.requests.empty() && !region_.test;
        if (lacks_requests || (call.action == Action::none && needs_record(named))) ++counts_.bare;
        if (named == Action::probe) ++counts_.probes;
    }
    first.requests = call_.requests;
    first.completed = call_.completed;
    if (region_.test) call.found = !first.completed.empty();
    for (Call& posted : posted_) {
        posted.parameters.function = region_.function;
        const std::uint64_t begin_ns = &posted == &first ? call_.time.begin_ns : ns;
        posted.time = {.begin_ns = begin_ns, .end_ns = ns, .times = 1, .polling_ns = ns - begin_ns};
    }
}

/// True if the current call is an unsuccessful poll that follows another one.
bool ForeignStream::repeats_poll() const {
    if (!region_.test || waiting_.empty() || posted_.size() != 1) return false;
    const Call& before = waiting_.back();
    const Call& poll = posted_.front();
    return !before.parameters.found && !poll.parameters.found && before.is_known &&
           before.parameters.function == poll.parameters.function && before.requests == poll.requests;
}

void ForeignStream::end(std::uint64_t ns) {
    settle(ns);
    finalised_ = finalised_ || region_.action == Action::finalise;
    if (repeats_poll()) {
        trace::TracedCall& polls = waiting_.back().time;
        polls.end_ns = ns;
        ++polls.times;
        polls.polling_ns += posted_.front().time.polling_ns;
        return;
    }
    hand_over(false);
    for (Call& call : posted_) waiting_.push_back(std::move(call));
}

void ForeignStream::hand_over(bool all) {
    while (!waiting_.empty() && (all || waiting_.front().is_known || waiting_.size() > kMostWaiting)) {
        Call& call = waiting_.front();
        if (!call.is_known) {
            ++counts_.unfinished;
            if (call.parameters.action == Action::receive) call.parameters.source = trace::kAny;
        }
        call.parameters.requests = call.requests;
        call.parameters.completed = call.completed;
        writer_.append(writer_.signature(call.parameters), call.time);
        counts_.calls += call.time.times;
        waiting_.pop_front();
        ++first_waiting_;
    }
}

void ForeignStream::finish() {
    if (depth_ > 0) end(last_ns_);
    depth_ = 0;
    hand_over(true);
}

}  // namespace waywiser::exchange::otf2
