#include "trace/trace_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "trace/block.hpp"
#include "trace/file_bytes.hpp"
#include "trace/trace_file.hpp"
#include "trace/trace_tables.hpp"

namespace waywiser::trace {
namespace {

struct CallsBlock {
    std::uint64_t events;
    std::uint64_t first_ns;
    std::uint64_t end_ns;
    std::string_view calls;
};

std::uint64_t on_common_clock(const HostClock& clock, std::uint64_t ns) {
    if (clock.offset_ns == 0 && clock.drift == 0) return ns;
    const auto since = static_cast<double>(static_cast<std::int64_t>(ns - clock.reference_ns));
    const auto common = static_cast<std::int64_t>(ns) + clock.offset_ns + std::llround(clock.drift * since);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(common, 0));
}

}  // namespace

struct TraceFile::Impl {
    std::string path;
    std::string bytes;
    TraceJob stored;
    TraceJob job;
    std::vector<Signature> signatures;
    std::vector<std::vector<CallsBlock>> streams;

    void lose(const std::string& what) { stored.lost.push_back(path + ": " + what); }

    void read() {
        std::size_t at = kTraceMagic.size();
        std::uint64_t blocks = 0;
        while (true) {
            BlockHeader header{};
            const std::string place = "byte " + std::to_string(at);
            if (bytes.size() - at < sizeof header) return lose("the file ends at " + place + "; calls after that are lost");
            std::memcpy(&header, bytes.data() + at, sizeof header);
            if (header_crc(header) != header.header_crc) {
                return lose("expected a block header at " + place + "; what follows is lost");
            }
            at += sizeof header;
            if (header.payload_bytes > bytes.size() - at) {
                return lose("the file ends within the block at " + place + "; calls from there on are lost");
            }
            const auto payload = std::string_view(bytes).substr(at, header.payload_bytes);
            at += header.payload_bytes;
            if (crc32(payload) != header.payload_crc) {
                lose("the block at " + place + " is damaged; calls are lost");
                continue;
            }
            try {
                if (header.kind == kTraceEnd) {
                    if (Decoder(payload).integer() != blocks) lose("blocks of calls are missing");
                    return;
                }
                take(header, payload);
                blocks += header.kind == kTraceCalls;
            } catch (const Error& error) {
                lose("the block at " + place + " " + error.what());
            }
        }
    }

    void take(const BlockHeader& header, std::string_view payload) {
        Decoder in(payload);
        if (header.kind == kTraceJob) {
            stored = decode_job(payload);
            streams.resize(stored.streams.size());
        }
        if (header.kind == kTraceSignatures) {
            for (std::uint64_t n = in.count(); n > 0; --n) signatures.push_back(decode_signature(in));
        }
        if (header.kind == kTraceCalls && header.number < streams.size()) {
            CallsBlock block{};
            block.events = in.integer();
            block.first_ns = in.integer();
            block.end_ns = in.integer();
            block.calls = in.rest();
            streams[header.number].push_back(block);
        }
    }

    /// With a table or a block damaged, counts are of what is left.
    void keep_what_is_left() {
        for (std::size_t i = 0; i < streams.size(); ++i) {
            if (signatures.empty()) streams[i].clear();
            std::uint64_t events = 0;
            for (const CallsBlock& block : streams[i]) events += block.events;
            stored.streams[i].events = std::min(stored.streams[i].events, events);
        }
    }

    [[nodiscard]] HostClock clock_of(std::int64_t rank) const {
        for (const TraceRank& candidate : job.ranks) {
            if (candidate.rank == rank && candidate.host < job.hosts.size()) return job.hosts[candidate.host];
        }
        return {};
    }

    void apply_clocks() {
        std::vector<HostClock> clocks = std::move(job.hosts);
        job = stored;
        job.hosts = std::move(clocks);
        for (TraceRank& rank : job.ranks) shift(rank, clock_of(rank.rank));
        for (TraceStream& stream : job.streams) shift(stream, clock_of(stream.rank));
    }

    static void shift(auto& item, const HostClock& clock) {
        item.begin_ns = on_common_clock(clock, item.begin_ns);
        item.end_ns = on_common_clock(clock, item.end_ns);
    }
};

struct Cursor::Impl {
    const std::vector<Signature>* signatures;
    const std::vector<CallsBlock>* blocks;
    HostClock clock;
    std::size_t block = 0;
    std::uint64_t left = 0;
    Decoder in{{}};
    std::uint64_t last_ns = 0;
    TracedCall call;
    std::uint32_t signature = 0;

    void open(std::size_t number) {
        block = number;
        left = 0;
        if (number >= blocks->size()) return;
        left = (*blocks)[number].events;
        in = Decoder((*blocks)[number].calls);
        last_ns = 0;
    }

    bool next() {
        while (left == 0) {
            if (block + 1 >= blocks->size()) return false;
            open(block + 1);
        }
        --left;
        signature = static_cast<std::uint32_t>(in.integer());
        if (signature >= signatures->size()) throw Error("names a signature that is not there");
        const std::uint64_t begin_ns = last_ns + static_cast<std::uint64_t>(in.signed_integer());
        const std::uint64_t length = in.integer();
        last_ns = begin_ns + length;
        call.times = in.integer();
        call.begin_ns = on_common_clock(clock, begin_ns);
        call.end_ns = on_common_clock(clock, last_ns);
        call.polling_ns = call.times == 1 ? call.end_ns - call.begin_ns : in.integer();
        return true;
    }

    bool seek(std::uint64_t ns) {
        std::size_t number = 0;
        while (number < blocks->size() && on_common_clock(clock, (*blocks)[number].end_ns) <= ns) ++number;
        open(number);
        if (number == blocks->size()) return false;
        while (next()) {
            if (call.end_ns > ns) return true;
        }
        return false;
    }
};

Cursor::Cursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;
bool Cursor::next() { return impl_->next(); }
bool Cursor::seek(std::uint64_t ns) { return impl_->seek(ns); }
const TracedCall& Cursor::call() const { return impl_->call; }
const Parameters& Cursor::parameters() const { return (*impl_->signatures)[impl_->signature].parameters; }
std::uint32_t Cursor::signature() const { return impl_->signature; }

TraceFile::TraceFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
    std::ifstream file(path, std::ios::binary);
    require(file.is_open(), path + ": cannot be opened");
    impl_->path = path;
    impl_->bytes = bytes_of(file);
    require(impl_->bytes.starts_with(kTraceMagic), path + ": is not a Waywiser trace of version 0");
    impl_->read();
    impl_->keep_what_is_left();
    impl_->job.hosts = impl_->stored.hosts;
    impl_->apply_clocks();
}

TraceFile::~TraceFile() = default;
const TraceJob& TraceFile::job() const { return impl_->job; }
std::uint32_t TraceFile::signatures() const { return static_cast<std::uint32_t>(impl_->signatures.size()); }

Cursor TraceFile::cursor(std::size_t stream) const {
    require(stream < impl_->streams.size(), "the trace has " + std::to_string(impl_->streams.size()) + " streams");
    auto cursor = std::make_unique<Cursor::Impl>();
    cursor->signatures = &impl_->signatures;
    cursor->blocks = &impl_->streams[stream];
    cursor->clock = impl_->clock_of(impl_->job.streams[stream].rank);
    cursor->open(0);
    return Cursor(std::move(cursor));
}

void TraceFile::set_clocks(std::vector<HostClock> clocks) {
    require(clocks.size() == impl_->job.hosts.size(),
            "expected the clocks of " + std::to_string(impl_->job.hosts.size()) + " hosts");
    impl_->job.hosts = std::move(clocks);
    impl_->apply_clocks();
}

}  // namespace waywiser::trace
