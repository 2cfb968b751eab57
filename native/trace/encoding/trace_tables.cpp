#include "trace/encoding/trace_tables.hpp"

#include <algorithm>
#include <functional>

#include "trace/encoding/code.hpp"

namespace waywiser::trace {
namespace {

void check_world_rank(std::int64_t rank) {
    if (rank < -1 || rank >= kMaxRanks) throw Error("names an impossible rank");
}

/// Checks that the numbers are within the range of real jobs, so that sums of a few do not overflow.
void check_numbers_of_ranks(const TraceObject& object) {
    const auto check = [](std::int64_t number) {
        if (number < -kMaxRanks || number > kMaxRanks) throw Error("speaks of more ranks than any job has");
    };
    check(object.size);
    for (const auto* group : {&object.members, &object.own_group}) {
        for (const auto& [first, stride, count] : *group) {
            for (const std::int64_t number : {first, stride, count}) check(number);
        }
    }
}

void check_references(const TraceRank& rank, const TraceJob& job) {
    if (rank.host >= std::max<std::size_t>(job.hosts.size(), 1)) throw Error("refers to a host that it does not list");
    if (std::ranges::any_of(rank.objects, [&](std::uint32_t object) { return object >= job.objects.size(); })) {
        throw Error("refers to an object that it does not list");
    }
}

bool in_order(const TraceJob& job) {
    if (!job.ranks.empty() && job.ranks.front().rank < 0) return false;
    const bool rising =
        std::ranges::adjacent_find(job.ranks, std::ranges::greater_equal{}, &TraceRank::rank) == job.ranks.end();
    return rising && std::ranges::all_of(job.streams, [&](const TraceStream& stream) {
               return std::ranges::binary_search(job.ranks, stream.rank, {}, &TraceRank::rank);
           });
}

std::uint64_t members_of(const std::vector<Stride>& ranks) {
    std::uint64_t members = 0;
    for (const Stride& stride : ranks) members += static_cast<std::uint64_t>(std::max<std::int64_t>(stride.count, 0));
    return members;
}

/// Ranks and members are listed one by one later, so claimed numbers must be in proportion to the data. Each rank lists
/// the objects of which it is a member. All objects together therefore have no more members than the ranks have bytes
/// here, except for objects whose ranks were lost.
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

void limit_times(auto& item) {
    item.begin_ns = std::min(item.begin_ns, kMostTime_ns);
    item.end_ns = std::min(item.end_ns, kMostTime_ns);
}

}  // namespace

template <class Coder>
void code(Coder& coder, Coded<Coder, TraceJob>& job) {
    code_world_size(coder, job.world_size);
    code_all(coder, job.library, job.begin_unix_ns, job.functions, job.call_sites, job.objects, job.hosts, job.ranks,
             job.streams, job.lost);
}

template <class Item>
void code(Encoder& out, const std::span<Item>& items) {
    out.integer(items.size());
    for (const Item& item : items) code(out, item);
}

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
    code_all(out, parameters, parameters.requests, parameters.completed, parameters.counts);
}

Signature decode_signature(Decoder& in) {
    Signature signature{Parameters{}};
    code_all(in, signature.parameters, signature.requests, signature.completed, signature.counts);
    signature.parameters.requests = signature.requests;
    signature.parameters.completed = signature.completed;
    signature.parameters.counts = signature.counts;
    return signature;
}

void encode(const TraceObject& object, Encoder& out) { code(out, object); }

std::string encode_job(const TraceJob& job) {
    Encoder out;
    code(out, job);
    return out.bytes();
}

TraceJob decode_job(std::string_view bytes) {
    Decoder in(bytes);
    TraceJob job;
    code(in, job);
    for (const TraceObject& object : job.objects) check_numbers_of_ranks(object);
    for (TraceRank& rank : job.ranks) {
        check_world_rank(rank.rank);
        check_references(rank, job);
        limit_times(rank);
        rank.end_ns = std::max(rank.end_ns, rank.begin_ns);
    }
    for (TraceStream& stream : job.streams) {
        check_world_rank(stream.rank);
        limit_times(stream);
    }
    if (!in_order(job)) throw Error("has ranks out of order, or calls of ranks that it does not list");
    check_claims(job, bytes.size());
    return job;
}

}  // namespace waywiser::trace
