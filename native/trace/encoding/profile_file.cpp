#include "trace/encoding/profile_file.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "trace/encoding/block.hpp"
#include "trace/encoding/codec.hpp"
#include "trace/encoding/profile_tables.hpp"
#include "trace/encoding/shared_file.hpp"

namespace waywiser::trace {
namespace {

constexpr std::string_view kProfileMagic = "WWPROF02";
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
    "ranks that it shares memory with, 0 where not known; whether the time in the run queue is known, and that time "
    "[ns]; "
    "why instructions and cycles are not counted; fields by name: name, whether it is known, value. Node: host, fields "
    "by name; name and why a field is not known, empty where it is. Load: calls, time, longest call, barrier before "
    "[ns], bytes, receive bytes.";

enum class Kind : std::uint32_t { description = 1, job = 2, rank = 3, end = 4, node = 5 };

std::string block(Kind kind, std::string_view payload, std::int64_t rank = 0) {
    return trace::block(static_cast<std::uint32_t>(kind), payload, static_cast<std::uint32_t>(rank));
}

/// Reads block after block until the end, or until the remaining bytes cannot be trusted.
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
        const std::int64_t most = most_ranks(profile_.ranks.size());
        if (profile_.world_size > most) {
            throw InvalidInput(path_ + ": claims " + std::to_string(profile_.world_size) + " ranks and holds " +
                               std::to_string(profile_.ranks.size()) + "; at most " + std::to_string(most) +
                               " are accepted with so few");
        }
        return std::move(profile_);
    }

private:
    void sort_ranks() {
        std::ranges::sort(profile_.ranks, {}, &RankProfile::rank);
        const auto repeated = std::ranges::unique(profile_.ranks, {}, &RankProfile::rank);
        if (!repeated.empty()) lose("a rank occurs more than once; only one of its blocks is kept");
        profile_.ranks.erase(repeated.begin(), repeated.end());
    }

    /// Drops the records of ranks that refer to missing tables, which happens if the job's block is damaged.
    void drop_dangling() {
        for (RankProfile& rank : profile_.ranks) {
            std::erase_if(rank.collectives, [&](const CollectiveProfile& collective) {
                return collective.communicator >= profile_.communicators.size();
            });
            std::erase_if(rank.call_sites,
                          [&](const CallSiteProfile& site) { return site.site >= profile_.call_sites.size(); });
        }
    }

    void lose(const std::string& loss) { profile_.lost.push_back(path_ + ": " + loss); }

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
            if (kind == Kind::node) profile_.nodes.push_back(decode_node(Decoder(payload)));
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
    std::size_t at_ = kProfileMagic.size();
    bool ended_ = false;
    std::uint64_t announced_ = 0;
    std::set<std::int64_t> damaged_;
    Profile profile_;
};

}  // namespace

void write_profile(const Profile& profile, const std::string& path) {
    DurableFile file(path);
    file.write(kProfileMagic);
    file.write(block(Kind::description, kDescription));
    file.write(block(Kind::job, encode_job(profile)));
    for (const RankProfile& rank : profile.ranks) file.write(block(Kind::rank, encode_rank(rank), rank.rank));
    for (const NodeProfile& node : profile.nodes) file.write(block(Kind::node, encode_node(node)));
    Encoder end;
    end.integer(profile.ranks.size());
    file.write(block(Kind::end, end.bytes()));
    file.publish();
}

Profile read_profile(const std::string& path) {
    const SharedFile file(path);
    require(file.is_open(), path + ": cannot be opened");
    const std::string bytes = file.read_all();
    require(bytes.starts_with(kProfileMagic), path + ": is not a Waywiser profile of version 2");
    return ProfileReader(path, bytes).read();
}

}  // namespace waywiser::trace
