#include "trace/encoding/trace_tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>

namespace waywiser::trace {
namespace {

template <class Value>
Value narrow(std::uint64_t value) {
    if (value > std::numeric_limits<Value>::max()) throw Error("has a number that is too large");
    return static_cast<Value>(value);
}

std::int32_t narrow_signed(std::int64_t value) {
    if (value != static_cast<std::int32_t>(value)) throw Error("has a number that is too large");
    return static_cast<std::int32_t>(value);
}

template <class Enumeration>
Enumeration one_of(std::uint64_t value, Enumeration last) {
    if (value > static_cast<std::uint64_t>(last)) throw Error("names what is not known");
    return static_cast<Enumeration>(value);
}

std::int64_t world_rank(std::int64_t rank) {
    if (rank < -1 || rank >= kMaxRanks) throw Error("names an impossible rank");
    return rank;
}

/// The plain numbers of a call, in the order of the file.
template <class AnyParameters>
auto numbers(AnyParameters& p) {
    return std::array{&p.object,     &p.created,        &p.peer,        &p.tag,     &p.source,
                      &p.source_tag, &p.matched_source, &p.matched_tag, &p.request, &p.message};
}

void encode(const std::vector<Stride>& ranks, Encoder& out) {
    out.integer(ranks.size());
    for (const auto& [first, stride, count] : ranks) {
        for (const std::int64_t part : {first, stride, count}) out.signed_integer(part);
    }
}

/// Within what any job has, so that sums of a few do not overflow.
std::int64_t number_of_ranks(Decoder& in) {
    const std::int64_t number = in.signed_integer();
    if (number < -kMaxRanks || number > kMaxRanks) throw Error("speaks of more ranks than any job has");
    return number;
}

std::vector<Stride> decode_strides(Decoder& in) {
    std::vector<Stride> ranks(in.count());
    for (auto& [first, stride, count] : ranks) {
        for (std::int64_t* part : {&first, &stride, &count}) *part = number_of_ranks(in);
    }
    return ranks;
}

TraceObject decode_object(Decoder& in) {
    TraceObject object;
    object.kind = one_of(in.integer(), TraceObject::Kind::file);
    object.context = in.integer();
    object.intercommunicator = in.integer() != 0;
    object.size = number_of_ranks(in);
    object.name = in.text();
    object.members = decode_strides(in);
    object.own_group = decode_strides(in);
    return object;
}

void encode(const HostClock& clock, Encoder& out) {
    out.text(clock.host);
    out.signed_integer(clock.offset_ns);
    out.integer(std::bit_cast<std::uint64_t>(clock.drift));
    out.integer(clock.reference_ns);
    out.integer(clock.uncertainty_ns);
    out.text(clock.method);
}

HostClock decode_clock(Decoder& in) {
    HostClock clock;
    clock.host = in.text();
    clock.offset_ns = in.signed_integer();
    clock.drift = std::bit_cast<double>(in.integer());
    clock.reference_ns = in.integer();
    clock.uncertainty_ns = in.integer();
    clock.method = in.text();
    return clock;
}

void encode(const TraceRank& rank, Encoder& out) {
    out.signed_integer(rank.rank);
    out.integer(rank.host);
    out.integer(rank.objects.size());
    for (const std::uint32_t object : rank.objects) out.integer(object);
    out.integer(rank.begin_ns);
    out.integer(rank.end_ns);
    out.integer(static_cast<std::uint64_t>(rank.ending));
    out.integer(rank.dropped_calls);
}

TraceRank decode_rank(Decoder& in, const TraceJob& job) {
    TraceRank rank;
    rank.rank = world_rank(in.signed_integer());
    rank.host = narrow<std::uint32_t>(in.integer());
    if (rank.host >= std::max<std::size_t>(job.hosts.size(), 1)) throw Error("refers to a host that it does not list");
    rank.objects.resize(in.count());
    for (std::uint32_t& object : rank.objects) {
        object = narrow<std::uint32_t>(in.integer());
        if (object >= job.objects.size()) throw Error("refers to an object that it does not list");
    }
    rank.begin_ns = std::min(in.integer(), kMostTime_ns);
    rank.end_ns = std::max(std::min(in.integer(), kMostTime_ns), rank.begin_ns);
    rank.ending = one_of(in.integer(), Ending::exited);
    rank.dropped_calls = in.integer();
    return rank;
}

bool in_order(const TraceJob& job) {
    if (!job.ranks.empty() && job.ranks.front().rank < 0) return false;
    const bool rising =
        std::ranges::adjacent_find(job.ranks, std::ranges::greater_equal{}, &TraceRank::rank) == job.ranks.end();
    return rising && std::ranges::all_of(job.streams, [&](const TraceStream& stream) {
               return std::ranges::binary_search(job.ranks, stream.rank, {}, &TraceRank::rank);
           });
}

void encode(const TraceStream& stream, Encoder& out) {
    out.signed_integer(stream.rank);
    for (const std::uint64_t part :
         {std::uint64_t{stream.thread}, stream.calls, stream.events, stream.begin_ns, stream.end_ns}) {
        out.integer(part);
    }
}

TraceStream decode_stream(Decoder& in) {
    TraceStream stream;
    stream.rank = world_rank(in.signed_integer());
    stream.thread = narrow<std::uint32_t>(in.integer());
    for (std::uint64_t* part : {&stream.calls, &stream.events}) *part = in.integer();
    for (std::uint64_t* part : {&stream.begin_ns, &stream.end_ns}) *part = std::min(in.integer(), kMostTime_ns);
    return stream;
}

}  // namespace

Signature::Signature(const Parameters& from)
    : parameters(from),
      requests(from.requests.begin(), from.requests.end()),
      completed(from.completed.begin(), from.completed.end()),
      counts(from.counts.begin(), from.counts.end()) {
    parameters.requests = requests;
    parameters.completed = completed;
    parameters.counts = counts;
}

void encode(const Parameters& parameters, Encoder& out) {
    out.integer(parameters.function);
    out.integer(parameters.site);
    out.integer(static_cast<std::uint64_t>(parameters.action));
    out.integer(parameters.found ? 1 : 0);
    for (const std::int32_t* number : numbers(parameters)) out.signed_integer(*number);
    out.signed_integer(parameters.detail);
    out.integer(parameters.bytes);
    out.integer(parameters.posted);
    out.integer(parameters.requests.size());
    for (const std::int32_t request : parameters.requests) out.signed_integer(request);
    out.integer(parameters.completed.size());
    for (const auto& [index, source, tag] : parameters.completed) {
        for (const std::int32_t part : {index, source, tag}) out.signed_integer(part);
    }
    out.integer(parameters.counts.size());
    for (const std::uint64_t count : parameters.counts) out.integer(count);
}

Signature decode_signature(Decoder& in) {
    Parameters parameters;
    parameters.function = narrow<std::uint32_t>(in.integer());
    parameters.site = narrow<std::uint32_t>(in.integer());
    parameters.action = one_of(in.integer(), Action::phase);
    parameters.found = in.integer() != 0;
    for (std::int32_t* number : numbers(parameters)) *number = narrow_signed(in.signed_integer());
    parameters.detail = in.signed_integer();
    parameters.bytes = in.integer();
    parameters.posted = in.integer();
    std::vector<std::int32_t> requests(in.count());
    for (std::int32_t& request : requests) request = narrow_signed(in.signed_integer());
    std::vector<Completion> completed(in.count());
    for (auto& [index, source, tag] : completed) {
        for (std::int32_t* part : {&index, &source, &tag}) *part = narrow_signed(in.signed_integer());
    }
    std::vector<std::uint64_t> counts(in.count());
    for (std::uint64_t& count : counts) count = in.integer();
    parameters.requests = requests;
    parameters.completed = completed;
    parameters.counts = counts;
    return Signature(parameters);
}

std::uint64_t members_of(const std::vector<Stride>& ranks) {
    std::uint64_t members = 0;
    for (const Stride& stride : ranks) members += static_cast<std::uint64_t>(std::max<std::int64_t>(stride.count, 0));
    return members;
}

/// Ranks and members are listed one by one later, so claimed numbers must be in proportion to what is there. Each rank
/// lists the objects that it is in. All objects together therefore have no more members than the ranks have bytes here,
/// except for objects whose ranks were lost.
void check_claims(const TraceJob& job, std::size_t bytes) {
    constexpr std::uint64_t kMembersLost = std::uint64_t{1} << 22U;
    constexpr std::uint64_t kMembersForEachByte = 4;
    const std::int64_t most = most_ranks(job.ranks.size());
    if (job.world_size > most) {
        throw Error("claims " + std::to_string(job.world_size) + " ranks and lists " +
                    std::to_string(job.ranks.size()) + "; at most " + std::to_string(most) +
                    " are accepted with so few");
    }
    std::uint64_t members = 0;
    for (const TraceObject& object : job.objects) members += members_of(object.members) + members_of(object.own_group);
    if (members > kMembersLost + kMembersForEachByte * bytes) {
        throw Error("claims communicators of " + std::to_string(members) + " members in all; at most " +
                    std::to_string(kMembersLost + kMembersForEachByte * bytes) + " are accepted");
    }
}

void encode(const TraceObject& object, Encoder& out) {
    out.integer(static_cast<std::uint64_t>(object.kind));
    out.integer(object.context);
    out.integer(object.intercommunicator ? 1 : 0);
    out.signed_integer(object.size);
    out.text(object.name);
    encode(object.members, out);
    encode(object.own_group, out);
}

std::string encode_job(const TraceJob& job) {
    Encoder out;
    out.integer(static_cast<std::uint64_t>(job.world_size));
    out.text(job.library);
    out.integer(job.begin_unix_ns);
    out.integer(job.functions.size());
    for (const std::string& function : job.functions) out.text(function);
    out.integer(job.call_sites.size());
    for (const auto& [module, address, place] : job.call_sites) {
        out.text(module);
        out.integer(address);
        out.text(place);
    }
    const auto encode_all = [&out](const auto& items) {
        out.integer(items.size());
        for (const auto& item : items) encode(item, out);
    };
    encode_all(job.objects);
    encode_all(job.hosts);
    encode_all(job.ranks);
    encode_all(job.streams);
    out.integer(job.lost.size());
    for (const std::string& sentence : job.lost) out.text(sentence);
    return out.bytes();
}

TraceJob decode_job(std::string_view bytes) {
    Decoder in(bytes);
    TraceJob job;
    const std::uint64_t world_size = in.integer();
    if (world_size > static_cast<std::uint64_t>(kMaxRanks)) throw Error("announces an impossible number of ranks");
    job.world_size = static_cast<std::int64_t>(world_size);
    job.library = in.text();
    job.begin_unix_ns = in.integer();
    for (std::uint64_t n = in.count(); n > 0; --n) job.functions.push_back(in.text());
    for (std::uint64_t n = in.count(); n > 0; --n) {
        std::string module = in.text();
        const std::uint64_t address = in.integer();
        job.call_sites.push_back({.module = std::move(module), .address = address, .place = in.text()});
    }
    for (std::uint64_t n = in.count(); n > 0; --n) job.objects.push_back(decode_object(in));
    for (std::uint64_t n = in.count(); n > 0; --n) job.hosts.push_back(decode_clock(in));
    for (std::uint64_t n = in.count(); n > 0; --n) job.ranks.push_back(decode_rank(in, job));
    for (std::uint64_t n = in.count(); n > 0; --n) job.streams.push_back(decode_stream(in));
    for (std::uint64_t n = in.count(); n > 0; --n) job.lost.push_back(in.text());
    if (!in_order(job)) throw Error("has ranks out of order, or calls of ranks that it does not list");
    check_claims(job, bytes.size());
    return job;
}

}  // namespace waywiser::trace
