#include "trace/profile_file.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "trace/block.hpp"
#include "trace/codec.hpp"
#include "trace/file_bytes.hpp"

namespace waywiser::trace {
namespace {

constexpr std::string_view kMagic = "WWPROF02";
constexpr std::string_view kDescription =
    "Waywiser profile, version 2. Blocks: kind, CRC-32, payload bytes, rank, header CRC-32; payloads are LEB128 "
    "integers (signed ones zigzag) and length-prefixed UTF-8. Job: world size, ABI, library, transport, whether a "
    "barrier stood before each collective, lost sentences, communicators (size, fingerprint, whether between two "
    "groups, name, members: first, stride, count), call sites (file, address, place). Rank: rank, pid, ending (0 "
    "killed, 1 finalised, 2 aborted, 3 exited), call it was inside, host, CPUs, wall, init, finalize and CPU time "
    "[ns], "
    "voluntary and involuntary switches, peak memory [bytes], messages and bytes to outside MPI_COMM_WORLD, unrecorded "
    "calls, instructions, cycles; threads: time [ns], functions: name, phase, load, pending calls and their time [ns], "
    "size bins: inclusive upper bound [bytes], calls, time [ns]; messages: destination world rank, bytes, messages, "
    "bytes and messages of collectives; phases: number, entries, time [ns]; collectives: communicator, function, root, "
    "load; call sites: site, function, load; OpenMP: regions, their time [ns], explicit tasks, threads: regions, work, "
    "wait in barriers, wait at the regions' ends [ns]; libc's functions on files, as above; 1 + the lowest of the "
    "ranks that it shares memory with, 0 where not known. Load: calls, time, longest "
    "call, barrier before [ns], bytes, posted "
    "bytes.";

enum class Kind : std::uint32_t { description = 1, job = 2, rank = 3, end = 4 };

std::string block(Kind kind, std::string_view payload, std::int64_t rank = 0) {
    return trace::block(static_cast<std::uint32_t>(kind), payload, static_cast<std::uint32_t>(rank));
}

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
    return out.bytes();
}

std::int64_t decode_world_rank(Decoder& in) {
    const std::uint64_t rank = in.integer();
    if (rank >= static_cast<std::uint64_t>(kMaxRanks)) throw Error("names an impossible rank");
    return static_cast<std::int64_t>(rank);
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
    if (!in.rest().empty()) rank.sharing = in.integer();
    return rank;
}

/// Reads block after block until the end, or until nothing more can be trusted.
class ProfileReader {
public:
    ProfileReader(const std::string& path, const std::string& bytes) : path_(path), bytes_(bytes) {}

    Profile read() {
        while (!ended_ && next_block()) {
        }
        for (const std::int64_t rank : damaged_) lose("the block of rank " + std::to_string(rank) + " is damaged");
        if (ended_ && profile_.ranks.size() + damaged_.size() != announced_) {
            lose("expected " + std::to_string(announced_) + " ranks, found " + std::to_string(profile_.ranks.size()));
        }
        sort_ranks();
        drop_dangling();
        return std::move(profile_);
    }

private:
    void sort_ranks() {
        std::ranges::sort(profile_.ranks, {}, &RankProfile::rank);
        const auto repeated = std::ranges::unique(profile_.ranks, {}, &RankProfile::rank);
        if (!repeated.empty()) lose("a rank occurs more than once; only one of its blocks is kept");
        profile_.ranks.erase(repeated.begin(), repeated.end());
    }

    /// With the job's block damaged, ranks refer to tables that are not there.
    void drop_dangling() {
        for (RankProfile& rank : profile_.ranks) {
            std::erase_if(rank.collectives, [&](const CollectiveProfile& collective) {
                return collective.communicator >= profile_.communicators.size();
            });
            std::erase_if(rank.call_sites,
                          [&](const CallSiteProfile& site) { return site.site >= profile_.call_sites.size(); });
        }
    }

    void lose(const std::string& what) { profile_.lost.push_back(path_ + ": " + what); }

    bool next_block() {
        BlockHeader header{.kind = 0, .payload_crc = 0, .payload_bytes = 0, .number = 0, .header_crc = 0};
        const std::string place = "byte " + std::to_string(at_);
        if (bytes_.size() - at_ < sizeof header) {
            lose("the file ends at " + place + "; ranks after that are lost");
            return false;
        }
        std::memcpy(&header, bytes_.data() + at_, sizeof header);
        if (header_crc(header) != header.header_crc) {
            lose("expected a block header at " + place + "; what follows is lost");
            return false;
        }
        at_ += sizeof header;
        if (header.payload_bytes > bytes_.size() - at_) {
            lose("the file ends within the block at " + place + "; ranks from there on are lost");
            return false;
        }
        take(header, std::string_view(bytes_).substr(at_, header.payload_bytes), place);
        at_ += header.payload_bytes;
        return true;
    }

    void take(const BlockHeader& header, std::string_view payload, const std::string& place) {
        const auto kind = static_cast<Kind>(header.kind);
        const bool is_rank = kind == Kind::rank;
        if (crc32(payload) != header.payload_crc) {
            if (is_rank) {
                damaged_.insert(header.number);
            } else {
                lose("the block at " + place + " is damaged");
            }
            return;
        }
        try {
            if (kind == Kind::job) decode_job(Decoder(payload), profile_);
            if (is_rank) profile_.ranks.push_back(decode_rank(Decoder(payload)));
            if (kind == Kind::end) {
                announced_ = Decoder(payload).integer();
                ended_ = true;
            }
        } catch (const Error& error) {
            lose("the block at " + place + " " + error.what());
        }
    }

    const std::string& path_;
    const std::string& bytes_;
    std::size_t at_ = kMagic.size();
    bool ended_ = false;
    std::uint64_t announced_ = 0;
    std::set<std::int64_t> damaged_;
    Profile profile_;
};

}  // namespace

void write_profile(const Profile& profile, const std::string& path) {
    const std::string temporary = path + ".tmp";
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << kMagic << block(Kind::description, kDescription) << block(Kind::job, encode_job(profile));
    for (const RankProfile& rank : profile.ranks) file << block(Kind::rank, encode_rank(rank), rank.rank);
    Encoder end;
    end.integer(profile.ranks.size());
    file << block(Kind::end, end.bytes());
    file.close();
    if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
        std::remove(temporary.c_str());
        throw Error(path + ": could not be written (no space left, or no permission)");
    }
}

Profile read_profile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    require(file.is_open(), path + ": cannot be opened");
    const std::string bytes = bytes_of(file);
    require(bytes.starts_with(kMagic), path + ": is not a Waywiser profile of version 2");
    return ProfileReader(path, bytes).read();
}

}  // namespace waywiser::trace
