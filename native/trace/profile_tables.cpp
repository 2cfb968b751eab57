#include "trace/profile_tables.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

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

/// The plain counters of a rank, in the order of the file.
template <class Rank>
auto counters(Rank& r) {
    return std::array{&r.wall_ns,
                      &r.init_ns,
                      &r.finalize_ns,
                      &r.cpu_ns,
                      &r.voluntary_switches,
                      &r.involuntary_switches,
                      &r.peak_memory_bytes,
                      &r.outside_world_messages,
                      &r.outside_world_bytes,
                      &r.unrecorded_calls,
                      &r.instructions,
                      &r.cycles};
}

template <class AnyLoad>
auto parts(AnyLoad& load) {
    return std::array{&load.calls, &load.ns, &load.max_ns, &load.sync_ns, &load.bytes, &load.posted_bytes};
}

void encode(const Load& load, Encoder& out) {
    for (const std::uint64_t* part : parts(load)) out.integer(*part);
}

Load decode_load(Decoder& in) {
    Load load;
    for (std::uint64_t* part : parts(load)) *part = in.integer();
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
    for (const std::uint64_t* counter : counters(rank)) out.integer(*counter);
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
    out.integer(rank.queued_ns.has_value() ? 1 : 0);
    out.integer(rank.queued_ns.value_or(0));
    out.text(rank.not_counted);
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
    for (std::uint64_t* counter : counters(rank)) *counter = in.integer();
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
    // Profiles of earlier versions end here, or after the next field.
    if (!in.rest().empty()) rank.sharing = in.integer();
    if (!in.rest().empty()) {
        const bool known = in.integer() != 0;
        const std::uint64_t ns = in.integer();
        if (known) rank.queued_ns = ns;
    }
    if (!in.rest().empty()) rank.not_counted = in.text();
    return rank;
}

}  // namespace waywiser::trace
