#include "trace/encoding/profile_tables.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "trace/records/load_fields.hpp"

namespace waywiser::trace {
namespace {

void encode(const Communicator& communicator, Encoder& out) {
    out.signed_integer(communicator.size);
    out.integer(communicator.fingerprint);
    out.integer(communicator.intercommunicator ? 1 : 0);
    out.text(communicator.name);
    out.integer(communicator.members.size());
    for (const auto& [first, stride, count] : communicator.members) {
        out.signed_integer(first);
        out.signed_integer(stride);
        out.signed_integer(count);
    }
}

Communicator decode_communicator(Decoder& in) {
    Communicator communicator;
    communicator.size = in.signed_integer();
    communicator.fingerprint = in.integer();
    communicator.intercommunicator = in.integer() != 0;
    communicator.name = in.text();
    for (std::uint64_t n = in.count(); n > 0; --n) {
        const std::int64_t first = in.signed_integer();
        const std::int64_t stride = in.signed_integer();
        communicator.members.push_back({first, stride, in.signed_integer()});
    }
    return communicator;
}

bool is_named(const Field& field) { return field.since > Since::v0_1; }

// As in trace/records/fields.hpp: the list is a template's argument.
// NOLINTBEGIN(readability-redundant-parentheses)

/// The numbers that 0.1 has, or those that it may not know, in the order of the list.
template <const auto& kFields>
std::vector<std::size_t> placed_fields(bool optional) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (kFields[i].since == Since::v0_1 && kFields[i].is_optional() == optional) found.push_back(i);
    }
    return found;
}

void encode(const std::optional<std::uint64_t>& value, Encoder& out) {
    out.integer(value.has_value() ? 1 : 0);
    out.integer(value.value_or(0));
}

std::optional<std::uint64_t> decode_optional(Decoder& in) {
    const bool known = in.integer() != 0;
    const std::uint64_t value = in.integer();
    return known ? std::optional(value) : std::nullopt;
}

/// Fields that came after 0.1, by name: a file may have others than this version.
template <const auto& kFields>
void encode_named(const Values<kFields>& values, Encoder& out) {
    out.integer(static_cast<std::uint64_t>(std::ranges::count_if(kFields, is_named)));
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (!is_named(kFields[i])) continue;
        out.text(kFields[i].name);
        encode(values[i], out);
    }
}

template <const auto& kFields>
void decode_named(Decoder& in, Values<kFields>& values) {
    for (std::uint64_t n = in.count(); n > 0; --n) {
        const auto field = std::ranges::find(kFields, in.text(), &Field::name);
        const std::optional<std::uint64_t> value = decode_optional(in);
        if (field == kFields.end() || (!value && !field->is_optional())) continue;
        values[static_cast<std::size_t>(field - kFields.begin())] = value;
    }
}

// NOLINTEND(readability-redundant-parentheses)

void encode(const Load& load, Encoder& out) {
    for (const LoadField& part : kLoadFields) out.integer(load.*part.value);
}

Load decode_load(Decoder& in) {
    Load load;
    for (const LoadField& part : kLoadFields) load.*part.value = in.integer();
    return load;
}

void encode(const std::vector<FunctionProfile>& functions, Encoder& out) {
    out.integer(functions.size());
    for (const FunctionProfile& function : functions) {
        out.text(function.name);
        out.signed_integer(function.phase);
        encode(function.load, out);
        out.integer(function.pending_calls);
        out.integer(function.pending_ns);
        out.integer(function.sizes.size());
        for (const auto& [upper_bound_bytes, calls, ns] : function.sizes) {
            out.integer(upper_bound_bytes);
            out.integer(calls);
            out.integer(ns);
        }
    }
}

void encode_thread(const ThreadProfile& thread, Encoder& out) {
    out.integer(thread.ns);
    encode(thread.functions, out);
}

std::vector<FunctionProfile> decode_functions(Decoder& in) {
    std::vector<FunctionProfile> functions;
    for (std::uint64_t n = in.count(); n > 0; --n) {
        FunctionProfile function;
        function.name = in.text();
        function.phase = in.signed_integer();
        function.load = decode_load(in);
        function.pending_calls = in.integer();
        function.pending_ns = in.integer();
        for (std::uint64_t bins = in.count(); bins > 0; --bins) {
            const std::uint64_t bound = in.integer();
            const std::uint64_t calls = in.integer();
            function.sizes.push_back({bound, calls, in.integer()});
        }
        functions.push_back(std::move(function));
    }
    return functions;
}

ThreadProfile decode_thread(Decoder& in) {
    ThreadProfile thread;
    thread.ns = in.integer();
    thread.functions = decode_functions(in);
    return thread;
}

void encode(const OpenMpProfile& openmp, Encoder& out) {
    out.integer(openmp.regions);
    out.integer(openmp.ns);
    out.integer(openmp.tasks);
    out.integer(openmp.threads.size());
    for (const auto& [regions, busy_ns, barrier_ns, end_ns] : openmp.threads) {
        for (const std::uint64_t part : {regions, busy_ns, barrier_ns, end_ns}) out.integer(part);
    }
}

OpenMpProfile decode_openmp(Decoder& in) {
    OpenMpProfile openmp;
    for (std::uint64_t* part : {&openmp.regions, &openmp.ns, &openmp.tasks}) *part = in.integer();
    for (std::uint64_t n = in.count(); n > 0; --n) {
        OpenMpThread thread{};
        for (std::uint64_t* part : {&thread.regions, &thread.busy_ns, &thread.barrier_ns, &thread.end_ns}) {
            *part = in.integer();
        }
        openmp.threads.push_back(thread);
    }
    return openmp;
}

std::int64_t decode_world_rank(Decoder& in) {
    const std::uint64_t rank = in.integer();
    if (rank >= static_cast<std::uint64_t>(kMaxRanks)) throw Error("names an impossible rank");
    return static_cast<std::int64_t>(rank);
}

}  // namespace

std::string encode_job(const Profile& profile) {
    Encoder out;
    out.integer(static_cast<std::uint64_t>(profile.world_size));
    out.text(profile.abi);
    out.text(profile.library);
    out.text(profile.transport);
    out.integer(profile.lost.size());
    for (const std::string& sentence : profile.lost) out.text(sentence);
    out.integer(profile.split_sync ? 1 : 0);
    out.integer(profile.communicators.size());
    for (const Communicator& communicator : profile.communicators) encode(communicator, out);
    out.integer(profile.call_sites.size());
    for (const auto& [module, address, place] : profile.call_sites) {
        out.text(module);
        out.integer(address);
        out.text(place);
    }
    return out.bytes();
}

void decode_job(Decoder in, Profile& profile) {
    const std::uint64_t world_size = in.integer();
    if (world_size > static_cast<std::uint64_t>(kMaxRanks)) throw Error("announces an impossible number of ranks");
    profile.world_size = static_cast<std::int64_t>(world_size);
    profile.abi = in.text();
    profile.library = in.text();
    profile.transport = in.text();
    for (std::uint64_t n = in.count(); n > 0; --n) profile.lost.push_back(in.text());
    profile.split_sync = in.integer() != 0;
    for (std::uint64_t n = in.count(); n > 0; --n) profile.communicators.push_back(decode_communicator(in));
    for (std::uint64_t n = in.count(); n > 0; --n) {
        std::string module = in.text();
        const std::uint64_t address = in.integer();
        profile.call_sites.push_back({.module = std::move(module), .address = address, .place = in.text()});
    }
}

std::string encode_rank(const RankProfile& rank) {
    Encoder out;
    out.integer(static_cast<std::uint64_t>(rank.rank));
    out.integer(rank.pid);
    out.integer(static_cast<std::uint64_t>(rank.ending));
    out.text(rank.inside);
    out.text(rank.host);
    out.text(rank.cpus);
    for (const std::size_t field : placed_fields<kRankFields>(false)) out.integer(rank[field].value_or(0));
    out.integer(rank.threads.size());
    for (const ThreadProfile& thread : rank.threads) encode_thread(thread, out);
    out.integer(rank.messages.size());
    for (const Message& message : rank.messages) {
        out.integer(static_cast<std::uint64_t>(message.destination));
        out.integer(message.bytes);
        out.integer(message.messages);
        out.integer(message.collective_bytes);
        out.integer(message.collective_messages);
    }
    out.integer(rank.phases.size());
    for (const auto& [phase, entries, ns] : rank.phases) {
        out.signed_integer(phase);
        out.integer(entries);
        out.integer(ns);
    }
    out.integer(rank.collectives.size());
    for (const auto& [communicator, function, root, load] : rank.collectives) {
        out.integer(communicator);
        out.text(function);
        out.signed_integer(root);
        encode(load, out);
    }
    out.integer(rank.call_sites.size());
    for (const auto& [site, function, load] : rank.call_sites) {
        out.integer(site);
        out.text(function);
        encode(load, out);
    }
    encode(rank.openmp, out);
    encode(rank.io, out);
    out.integer(rank.sharing);
    for (const std::size_t field : placed_fields<kRankFields>(true)) encode(rank[field], out);
    out.text(rank.not_counted);
    encode_named(rank, out);
    return out.bytes();
}

RankProfile decode_rank(Decoder in) {
    RankProfile rank;
    rank.rank = decode_world_rank(in);
    rank.pid = static_cast<std::uint32_t>(in.integer());
    const std::uint64_t ending = in.integer();
    if (ending > static_cast<std::uint64_t>(Ending::exited)) throw Error("names no known ending");
    rank.ending = static_cast<Ending>(ending);
    rank.inside = in.text();
    rank.host = in.text();
    rank.cpus = in.text();
    for (const std::size_t field : placed_fields<kRankFields>(false)) rank[field] = in.integer();
    for (std::uint64_t n = in.count(); n > 0; --n) rank.threads.push_back(decode_thread(in));
    for (std::uint64_t n = in.count(); n > 0; --n) {
        Message message{};
        message.destination = decode_world_rank(in);
        for (std::uint64_t* part :
             {&message.bytes, &message.messages, &message.collective_bytes, &message.collective_messages}) {
            *part = in.integer();
        }
        rank.messages.push_back(message);
    }
    for (std::uint64_t n = in.count(); n > 0; --n) {
        const std::int64_t phase = in.signed_integer();
        const std::uint64_t entries = in.integer();
        rank.phases.push_back({phase, entries, in.integer()});
    }
    for (std::uint64_t n = in.count(); n > 0; --n) {
        CollectiveProfile collective;
        collective.communicator = in.integer();
        collective.function = in.text();
        collective.root = in.signed_integer();
        collective.load = decode_load(in);
        rank.collectives.push_back(std::move(collective));
    }
    for (std::uint64_t n = in.count(); n > 0; --n) {
        CallSiteProfile site;
        site.site = in.integer();
        site.function = in.text();
        site.load = decode_load(in);
        rank.call_sites.push_back(std::move(site));
    }
    rank.openmp = decode_openmp(in);
    rank.io = decode_functions(in);
    // Profiles of earlier versions end here, or after one of the next fields.
    if (!in.rest().empty()) rank.sharing = in.integer();
    for (const std::size_t field : placed_fields<kRankFields>(true)) {
        if (!in.rest().empty()) rank[field] = decode_optional(in);
    }
    if (!in.rest().empty()) rank.not_counted = in.text();
    if (!in.rest().empty()) decode_named(in, rank);
    return rank;
}

std::string encode_node(const NodeProfile& node) {
    Encoder out;
    out.text(node.host);
    encode_named(node, out);
    out.integer(kNodeFields.size());
    for (std::size_t i = 0; i < kNodeFields.size(); ++i) {
        out.text(kNodeFields[i].name);
        out.text(node.unknown[i]);
    }
    return out.bytes();
}

NodeProfile decode_node(Decoder in) {
    NodeProfile node;
    node.host = in.text();
    decode_named(in, node);
    for (std::uint64_t n = in.count(); n > 0; --n) {
        const auto field = std::ranges::find(kNodeFields, in.text(), &Field::name);
        std::string why = in.text();
        if (field == kNodeFields.end()) continue;
        node.unknown[static_cast<std::size_t>(field - kNodeFields.begin())] = std::move(why);
    }
    return node;
}

}  // namespace waywiser::trace
