/// Data without a record in OTF2, as attributes of the events and properties of the definitions
/// (docs/reference/otf2.md), and the conversion of both to calls.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/otf2_library.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::exchange::otf2 {

/// Attributes by their numbers in Waywiser's OTF2 traces. Values in the records inside a call have no attribute.
enum Attribute : Ref {
    kObject,
    kCreated,
    kPeer,
    kTag,
    kSource,
    kSourceTag,
    kMatchedSource,
    kMatchedTag,
    kRequest,
    kMessage,
    kBytes,
    kPosted,
    kDetail,
    kAction,
    kFound,
    kSite,
    kRequests,
    kCompleted,
    kCounts,
    kTimes,
    kPollingNs,
    kAttributes
};

struct AttributeDefinition {
    const char* name;
    const char* description;
    Type type;
};

inline constexpr std::array<AttributeDefinition, kAttributes> kAttributeDefinitions{{
    {"waywiser.object", "number of the communicator, window or file on its rank", kInt32},
    {"waywiser.created", "number of the object that the call made", kInt32},
    {"waywiser.peer", "destination, root or target", kInt32},
    {"waywiser.tag", "of what is sent", kInt32},
    {"waywiser.source", "as the receive names it; -2: MPI_ANY_SOURCE", kInt32},
    {"waywiser.source_tag", "as the receive names it; -2: MPI_ANY_TAG", kInt32},
    {"waywiser.matched_source", "where the message of a wildcard came from", kInt32},
    {"waywiser.matched_tag", "of the message of a wildcard", kInt32},
    {"waywiser.request", "number of the request or message that the call made", kInt32},
    {"waywiser.message", "number of the message that it received", kInt32},
    {"waywiser.bytes", "sent", kUint64},
    {"waywiser.posted", "bytes made ready to receive", kUint64},
    {"waywiser.detail", "level, partition, kind of lock", kInt64},
    {"waywiser.action", "what the call does, where its name does not tell", kUint32},
    {"waywiser.found", "0: a test or a probe was unsuccessful", kUint32},
    {"waywiser.site", "place in the program", kString},
    {"waywiser.requests", "numbers of the requests that the call was given", kString},
    {"waywiser.completed", "triples: index in requests, source, tag", kString},
    {"waywiser.counts", "bytes to each rank", kString},
    {"waywiser.times", "polls in a row that found nothing", kUint64},
    {"waywiser.polling_ns", "time within them", kUint64},
}};

/// The attributes kObject to kMessage.
inline constexpr std::array<std::int32_t trace::Parameters::*, 10> kNumbers{
    &trace::Parameters::object,         &trace::Parameters::created,
    &trace::Parameters::peer,           &trace::Parameters::tag,
    &trace::Parameters::source,         &trace::Parameters::source_tag,
    &trace::Parameters::matched_source, &trace::Parameters::matched_tag,
    &trace::Parameters::request,        &trace::Parameters::message};

/// note_send, note_receive and note_rma take a call's parameters from its record. The record of a sent message does not
/// describe a start (MPI_Start, MPI_Startall), which has a record for each of its requests.
inline void note_send(trace::Parameters& call, std::int32_t object, std::uint32_t to, std::uint32_t tag,
                      std::uint64_t bytes) {
    if (call.action == trace::Action::start) return;
    call.object = object;
    call.peer = static_cast<std::int32_t>(to);
    call.tag = static_cast<std::int32_t>(tag);
    call.bytes = bytes;
}

inline void note_receive(trace::Parameters& call, std::int32_t object, std::uint32_t from, std::uint32_t tag,
                         std::uint64_t bytes) {
    call.object = object;
    call.source = static_cast<std::int32_t>(from);
    call.source_tag = static_cast<std::int32_t>(tag);
    call.posted = bytes;
}

inline void note_rma(trace::Parameters& call, std::int32_t object, std::uint32_t target, std::uint64_t bytes,
                     std::uint64_t posted) {
    call.object = object;
    call.peer = static_cast<std::int32_t>(target);
    call.bytes = bytes;
    call.posted = posted;
}

/// Text of numbers, such as "3 -1 5".
template <class Number>
std::string listed(std::span<const Number> numbers) {
    std::string text;
    for (const Number number : numbers) {
        if (!text.empty()) text += ' ';
        text += std::to_string(number);
    }
    return text;
}

/// Reads the text of `listed`, and stops at the first word that is not a number.
template <class Number>
void unlist(std::string_view text, std::vector<Number>& numbers) {
    numbers.clear();
    while (!text.empty()) {
        Number number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) return;
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.empty()) text.remove_prefix(1);
    }
}

}  // namespace waywiser::exchange::otf2
