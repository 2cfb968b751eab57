#include "explain/message_numbers.hpp"

#include <algorithm>

namespace waywiser::explain {

using trace::Action;
using trace::kAny;
using trace::kNone;
using trace::Parameters;

namespace {

/// Requests are numbered from the smallest on: a larger number comes from damage.
constexpr std::int32_t kMostRequests = 1 << 24;

constexpr std::uint64_t kMessagesOfChannel = std::uint64_t{1} << 36U;

}  // namespace

std::int64_t world_rank(const trace::TraceObject& object, std::int32_t peer) {
    if (peer < 0) return peer;
    std::int64_t rest = peer;
    for (const auto& stride : object.members) {
        if (rest < stride.count) return stride.first + rest * stride.stride;
        rest -= stride.count;
    }
    return trace::kUnknown;
}

const trace::TraceObject* object_of(const trace::TraceJob& job, const trace::TraceRank& rank, std::int32_t number) {
    if (number < 0 || static_cast<std::size_t>(number) >= rank.objects.size()) return nullptr;
    const auto index = rank.objects[static_cast<std::size_t>(number)];
    return index < job.objects.size() ? &job.objects[index] : nullptr;
}

std::size_t MessageNumbers::ChannelHash::operator()(const Channel& channel) const {
    std::uint64_t hash = channel.context;
    const auto mix = [&](std::int64_t value) {
        hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
    };
    mix(channel.source);
    mix(channel.destination);
    mix(channel.tag);
    return hash;
}

void MessageNumbers::begin_rank(const trace::TraceRank& rank) {
    rank_ = &rank;
    requests_.clear();
}

const std::vector<MessageEnd>& MessageNumbers::ends_of(const Parameters& call) {
    ends_.clear();
    switch (call.action) {
        case Action::send: send(call.object, call.peer, call.tag, call.bytes); break;
        case Action::receive: receive(call); break;
        case Action::send_receive:
            send(call.object, call.peer, call.tag, call.bytes);
            receive(call);
            break;
        case Action::prepare_send:
            at(call.request) = {.is = Request::Is::send,
                                .persistent = true,
                                .object = call.object,
                                .peer = call.peer,
                                .tag = call.tag,
                                .bytes = call.bytes};
            break;
        case Action::prepare_receive:
            at(call.request) = {.is = Request::Is::receive,
                                .persistent = true,
                                .object = call.object,
                                .peer = call.source,
                                .tag = call.source_tag,
                                .bytes = call.posted};
            break;
        case Action::start: start(call); break;
        case Action::complete: complete(call); break;
        case Action::probe: probe(call); break;
        case Action::free_request:
            for (const auto request : call.requests) at(request) = {};
            break;
        default: break;
    }
    return ends_;
}

std::uint64_t MessageNumbers::number(std::int32_t object, std::int32_t peer, std::int32_t tag, bool sent) {
    const auto* communicator = object_of(job_, *rank_, object);
    if (communicator == nullptr) return kNobodys;
    const std::int64_t other = world_rank(*communicator, peer);
    if (other < 0) return kNobodys;
    const Channel channel{.context = communicator->context,
                          .source = sent ? rank_->rank : other,
                          .destination = sent ? other : rank_->rank,
                          .tag = tag};
    auto& numbers = channels_.try_emplace(channel, Numbers{.channel = channels_.size()}).first->second;
    return numbers.channel * kMessagesOfChannel + (sent ? numbers.sent++ : numbers.received++);
}

MessageNumbers::Request& MessageNumbers::at(std::int32_t request) {
    const auto index = static_cast<std::size_t>(std::clamp(request, -1, kMostRequests) + 1);  // 0: no request
    if (index >= requests_.size()) requests_.resize(index + 1);
    if (index == 0) requests_[0] = {};
    return requests_[index];
}

void MessageNumbers::end(std::uint64_t message, bool sent, std::uint64_t bytes) {
    if (message != kNobodys) ends_.push_back({.message = message, .sent = sent, .bytes = bytes});
}

void MessageNumbers::send(std::int32_t object, std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
    end(number(object, peer, tag, true), true, bytes);
}

void MessageNumbers::post(Request& request) {
    request.message =
        request.peer == kAny || request.tag == kAny ? kNobodys : number(request.object, request.peer, request.tag, false);
}

void MessageNumbers::receive(const Parameters& call) {
    if (call.message >= 0) {  // a probe has taken it
        Request& taken = at(call.message);
        if (call.request == kNone)
            end(taken.message, false, call.posted);
        else
            at(call.request) = {.is = Request::Is::numbered, .bytes = call.posted, .message = at(call.message).message};
        if (call.request != call.message) at(call.message) = {};
        return;
    }
    Request posted{.is = Request::Is::receive,
                   .object = call.object,
                   .peer = call.matched_source == kNone ? call.source : call.matched_source,
                   .tag = call.matched_tag == kNone ? call.source_tag : call.matched_tag,
                   .bytes = call.posted};
    post(posted);
    if (call.request == kNone)
        end(posted.message, false, call.posted);
    else
        at(call.request) = posted;
}

void MessageNumbers::start(const Parameters& call) {
    for (const auto number : call.requests) {
        Request& request = at(number);
        if (request.is == Request::Is::send)
            send(request.object, request.peer, request.tag, request.bytes);
        else if (request.is == Request::Is::receive)
            post(request);
    }
}

void MessageNumbers::complete(const Parameters& call) {
    for (const auto& completion : call.completed) {
        const auto index = static_cast<std::size_t>(completion.index);
        if (completion.index < 0 || index >= call.requests.size()) continue;
        Request& request = at(call.requests[index]);
        if (request.is == Request::Is::receive && request.message == kNobodys) {
            const auto source = completion.source == kNone ? request.peer : completion.source;
            const auto tag = completion.tag == kNone ? request.tag : completion.tag;
            end(number(request.object, source, tag, false), false, request.bytes);
        } else if (request.is == Request::Is::receive || request.is == Request::Is::numbered) {
            end(request.message, false, request.bytes);
        }
        if (!request.persistent) request = {};
    }
}

void MessageNumbers::probe(const Parameters& call) {
    if (call.request == kNone || !call.found) return;
    const auto source = call.matched_source == kNone ? call.source : call.matched_source;
    const auto tag = call.matched_tag == kNone ? call.source_tag : call.matched_tag;
    at(call.request) = {.is = Request::Is::numbered, .message = number(call.object, source, tag, false)};
}

}  // namespace waywiser::explain
