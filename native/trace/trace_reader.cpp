#include "trace/trace_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "trace/block.hpp"
#include "trace/peers.hpp"
#include "trace/sequence.hpp"
#include "trace/trace_file.hpp"

namespace waywiser::trace {
namespace {

/// Where a block of calls is, and what it has.
struct CallsBlock {
    std::uint64_t before;  ///< calls of the stream
    std::uint64_t events;
    std::uint64_t base_ns;    ///< end of the call before
    std::uint64_t latest_ns;  ///< end, of all calls up to the block's last
    std::uint64_t at;         ///< byte of the payload in the file
    std::uint64_t bytes;
    std::uint32_t crc;
};

/// Which symbol stands for which signature; sorted by symbol.
using Meanings = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Stream {
    std::uint32_t rule = 0;
    std::uint32_t meanings = 0;
    std::vector<CallsBlock> blocks;
};

constexpr std::uint32_t kNoSignature = 0xFFFFFFFFU;

constexpr double kMostDrift = 0.01;

class Clock {
public:
    Clock() = default;
    explicit Clock(const HostClock& clock)
        : clock_(clock), same_((clock.offset_ns == 0 && clock.drift == 0) || !credible(clock)) {}

    [[nodiscard]] std::uint64_t common(std::uint64_t ns) const {
        if (same_ || ns >= kMostTime_ns) return ns;
        const auto since = static_cast<double>(static_cast<std::int64_t>(ns - clock_.reference_ns));
        const auto moved = static_cast<std::int64_t>(ns) + clock_.offset_ns + std::llround(clock_.drift * since);
        return static_cast<std::uint64_t>(std::max<std::int64_t>(moved, 0));
    }

private:
    /// Any other comes from damage.
    static bool credible(const HostClock& clock) {
        constexpr auto kMost = static_cast<std::int64_t>(kMostTime_ns);
        return std::abs(clock.drift) < kMostDrift && clock.offset_ns > -kMost && clock.offset_ns < kMost &&
               clock.reference_ns < kMostTime_ns;
    }

    HostClock clock_;
    bool same_ = true;
};

}  // namespace

struct TraceFile::Impl {
    std::string path;
    mutable std::ifstream file;
    std::uint64_t file_bytes = 0;
    TraceJob stored;  ///< on the clocks of the hosts
    mutable TraceJob job;
    std::vector<StoredSignature> signatures;
    std::vector<std::uint32_t> kinds;  ///< by signature: what is given as its number
    std::uint32_t kind_count = 0;
    Rules rules;
    std::vector<Meanings> meanings;
    std::vector<Stream> streams;
    std::vector<std::uint32_t> stream_of_number;

    void lose(const std::string& what) const { job.lost.push_back(path + ": " + what); }

    /// \return whether that many bytes are there
    bool read_at(std::uint64_t at, std::uint64_t bytes, char* to) const {
        if (at > file_bytes || bytes > file_bytes - at) return false;
        file.clear();
        file.seekg(static_cast<std::streamoff>(at));
        return static_cast<bool>(file.read(to, static_cast<std::streamsize>(bytes)));
    }

    /// Reads block after block until the end, or until nothing more can be trusted.
    void read_blocks() {
        std::uint64_t at = kTraceMagic.size();
        std::uint64_t blocks = 0;
        CallsBlock announced{};
        for (bool indexed = false;;) {
            BlockHeader header{};
            const std::string place = "byte " + std::to_string(at);
            if (!read_at(at, sizeof header, reinterpret_cast<char*>(&header))) {
                return lose("the file ends at " + place + "; calls after that are lost");
            }
            if (header_crc(header) != header.header_crc) {
                return lose("expected a block header at " + place + "; what follows is lost");
            }
            at += sizeof header;
            if (header.payload_bytes > file_bytes - at) {
                return lose("the file ends within the block at " + place + "; calls from there on are lost");
            }
            const auto kind = static_cast<TraceBlock>(header.kind);
            if (kind == TraceBlock::calls) {
                announced.at = at;
                announced.bytes = header.payload_bytes;
                announced.crc = header.payload_crc;
                if (indexed) keep(announced, header.number);
                indexed = false;
                ++blocks;
            } else {
                const std::string payload = payload_of(header, at, place);
                try {
                    if (!payload.empty() && kind == TraceBlock::index) announced = decode_index(payload);
                    indexed = !payload.empty() && kind == TraceBlock::index;
                    if (!payload.empty() && kind == TraceBlock::end) {
                        if (Decoder(payload).integer() != blocks) lose("blocks of calls are missing");
                        return;
                    }
                    if (!payload.empty()) take(kind, payload);
                } catch (const Error& error) {
                    lose("the block at " + place + " " + error.what());
                }
            }
            at += header.payload_bytes;
        }
    }

    /// \return nothing if it is damaged
    std::string payload_of(const BlockHeader& header, std::uint64_t at, const std::string& place) const {
        std::string payload(header.payload_bytes, '\0');
        if (!read_at(at, payload.size(), payload.data()) || crc32(payload) != header.payload_crc) {
            lose("the block at " + place + " is damaged; calls that need it are lost");
            payload.clear();
        }
        return payload;
    }

    static CallsBlock decode_index(std::string_view payload) {
        Decoder in(payload);
        CallsBlock block{};
        for (std::uint64_t* part : {&block.before, &block.events, &block.base_ns, &block.latest_ns}) {
            *part = in.integer();
        }
        return block;
    }

    /// Only what follows without a gap can be read; a stream's first gap ends it.
    void keep(const CallsBlock& block, std::uint32_t number) {
        if (number >= stream_of_number.size() || stream_of_number[number] >= streams.size()) return;
        streams[stream_of_number[number]].blocks.push_back(block);
    }

    void take(TraceBlock kind, std::string_view payload) {
        Decoder in(payload);
        if (kind == TraceBlock::job) {
            if (!signatures.empty()) throw Error("comes after what refers to it");
            std::vector<std::string> lost = std::move(job.lost);
            stored = decode_job(payload);
            job.lost = stored.lost;
            job.lost.insert(job.lost.end(), lost.begin(), lost.end());
        } else if (kind == TraceBlock::signatures) {
            std::vector<StoredSignature> given;
            for (std::uint64_t n = in.count(); n > 0; --n) given.push_back(decode_stored(in));
            if (!signatures.empty() || !std::ranges::all_of(given, [&](const auto& one) { return refers(one); })) {
                throw Error("refers to functions or places that are not there");
            }
            signatures = std::move(given);
            find_kinds();
        } else if (kind == TraceBlock::rules) {
            rules = Rules(payload);
        } else if (kind == TraceBlock::meanings) {
            for (std::uint64_t n = in.count(); n > 0; --n) meanings.push_back(decode_meanings(in));
        } else if (kind == TraceBlock::streams) {
            decode_streams(in);
        }
    }

    [[nodiscard]] bool refers(const StoredSignature& one) const {
        const Parameters& call = one.signature.parameters;
        return call.function < stored.functions.size() && call.site <= stored.call_sites.size();
    }

    /// Fields may vary from some call on only: the calls before are of the same kind.
    void find_kinds() {
        const auto group = [](const StoredSignature& one) {
            const Parameters& p = one.signature.parameters;
            return std::tuple(p.function, p.site, p.action);
        };
        std::map<std::tuple<std::uint32_t, std::uint32_t, Action>, Fields> varying;
        for (const StoredSignature& one : signatures) varying[group(one)] |= one.varying;
        std::map<std::string, std::uint32_t> numbers;
        for (const StoredSignature& one : signatures) {
            const Fields fields = varying[group(one)];
            Encoder key;
            key.integer(one.relative & ~peers_among(fields));
            encode(without(one.signature.parameters, fields), key);
            kinds.push_back(numbers.try_emplace(key.bytes(), static_cast<std::uint32_t>(numbers.size())).first->second);
        }
        kind_count = static_cast<std::uint32_t>(numbers.size());
    }

    [[nodiscard]] Meanings decode_meanings(Decoder& in) const {
        Meanings list(in.count());
        std::uint64_t symbol = 0;
        std::int64_t signature = 0;
        for (auto& [stored_symbol, stored_signature] : list) {
            symbol += in.integer();
            signature += in.signed_integer();
            const bool known = signature >= 0 && static_cast<std::uint64_t>(signature) < signatures.size();
            if (!known || symbol > kMostSymbols) throw Error("gives a symbol a meaning that is none");
            stored_symbol = static_cast<std::uint32_t>(symbol);
            stored_signature = static_cast<std::uint32_t>(signature);
        }
        return list;
    }

    /// More than a job has of different calls.
    static constexpr std::uint64_t kMostSymbols = std::uint64_t{1} << 26U;

    void decode_streams(Decoder& in) {
        const std::uint64_t n = in.count();
        if (n != stored.streams.size()) throw Error("has other streams than the job");
        std::vector<Stream> read(n);
        std::vector<std::uint32_t> numbers(n, kNoSignature);
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint64_t rule = in.integer();
            const std::uint64_t list = in.integer();
            const std::uint64_t number = in.integer();
            if (stored.streams[i].events > 0 && (rule >= rules.size() || list >= meanings.size())) {
                throw Error("has a stream whose calls are not there");
            }
            if (number >= n) throw Error("has a stream of an impossible number");
            read[i].rule = static_cast<std::uint32_t>(rule);
            read[i].meanings = static_cast<std::uint32_t>(list);
            numbers[number] = i;
        }
        streams = std::move(read);
        stream_of_number = std::move(numbers);
    }

    /// With something damaged, streams have the calls that are left.
    void count_what_is_left() {
        streams.resize(stored.streams.size());
        for (std::size_t i = 0; i < streams.size(); ++i) {
            std::uint64_t events = 0;
            for (const CallsBlock& block : streams[i].blocks) events += block.events;
            stored.streams[i].events = std::min(stored.streams[i].events, events);
        }
    }

    [[nodiscard]] Clock clock_of(std::int64_t rank) const {
        const auto described = std::ranges::find(stored.ranks, rank, &TraceRank::rank);
        const bool known = described != stored.ranks.end() && described->host < job.hosts.size();
        return known ? Clock(job.hosts[described->host]) : Clock();
    }

    void apply_clocks(std::vector<HostClock> clocks) {
        std::vector<std::string> lost = std::move(job.lost);
        job = stored;
        job.lost = std::move(lost);
        job.hosts = std::move(clocks);
        const auto move = [this](auto& item) {
            const Clock clock = clock_of(item.rank);
            item.begin_ns = clock.common(item.begin_ns);
            item.end_ns = clock.common(item.end_ns);
        };
        std::ranges::for_each(job.ranks, move);
        std::ranges::for_each(job.streams, move);
    }
};

struct Cursor::Impl {
    const TraceFile::Impl* file;
    const Stream* stream;
    Clock clock;
    OwnPlaces places;
    std::vector<std::uint32_t> signature_of;  ///< by symbol

    std::size_t block = 0;
    std::uint64_t left = 0;  ///< calls in it
    std::string payload;
    BitReader bits;
    CallColumns columns;
    Unfold unfold;
    std::uint64_t last_ns = 0;
    std::uint64_t last_begin_ns = 0;
    std::uint32_t last_symbol = 0;

    TracedCall call;
    std::uint32_t kind = 0;
    Signature own{Parameters{}};  ///< parameters of a call that has some of its own
    const Parameters* parameters = &own.parameters;

    Impl(const TraceFile::Impl& of, std::size_t number)
        : file(&of),
          stream(&of.streams[number]),
          clock(of.clock_of(of.stored.streams[number].rank)),
          places(of.stored, of.stored.streams[number].rank),
          unfold(of.rules) {
        if (stream->blocks.empty()) return;
        const Meanings& meanings = of.meanings[stream->meanings];
        if (!meanings.empty()) signature_of.assign(meanings.back().first + 1, kNoSignature);
        for (const auto& [symbol, meaning] : meanings) signature_of[symbol] = meaning;
    }

    void lose(const std::string& what) {
        const TraceStream& description = file->stored.streams[static_cast<std::size_t>(stream - file->streams.data())];
        file->lose("the calls of rank " + std::to_string(description.rank) + ", thread " +
                   std::to_string(description.thread) + " from number " +
                   std::to_string(stream->blocks[block].before + 1) + " on cannot be read: their block " + what);
        left = 0;
        block = stream->blocks.size();
    }

    /// \return false at the end, and if the block is damaged
    bool open(std::size_t number) {
        block = number;
        left = 0;
        if (block >= stream->blocks.size()) return false;
        const CallsBlock& described = stream->blocks[block];
        payload.resize(described.bytes + BitReader::kPadding);
        if (!file->read_at(described.at, described.bytes, payload.data()) ||
            crc32(std::string_view(payload).substr(0, described.bytes)) != described.crc) {
            lose("is damaged");
            return false;
        }
        bits = BitReader(std::string_view(payload).substr(0, described.bytes));
        columns.restart();
        unfold.start(stream->rule, described.before);
        left = described.events;
        last_ns = described.base_ns;
        last_symbol = 0;
        return true;
    }

    bool next() {
        while (left == 0) {
            if (block >= stream->blocks.size() || !open(payload.empty() ? 0 : block + 1)) return false;
        }
        try {
            read_call();
            return true;
        } catch (const Error& error) {
            lose(error.what());
            return false;
        }
    }

    void read_call() {
        std::uint32_t symbol = 0;
        if (!unfold.next(symbol)) throw Error("has more calls than their sequence");
        const std::uint32_t signature = symbol < signature_of.size() ? signature_of[symbol] : kNoSignature;
        if (signature == kNoSignature) throw Error("has a call of no signature");
        std::uint64_t gap = 0;
        std::uint64_t length = 0;
        columns.code_times(bits, last_symbol, symbol, gap, length);
        const std::uint64_t begin_ns = last_ns + gap;
        // A call may begin before the end of the one before, but not before its begin.
        if (begin_ns < last_begin_ns || begin_ns + length < begin_ns) throw Error("has no such times");
        last_begin_ns = begin_ns;
        last_ns = begin_ns + length;
        last_symbol = symbol;
        --left;
        call.begin_ns = clock.common(begin_ns);
        call.end_ns = clock.common(last_ns);
        call.times = 1;
        call.polling_ns = call.end_ns - call.begin_ns;
        kind = file->kinds[signature];
        const StoredSignature& what = file->signatures[signature];
        parameters = &what.signature.parameters;
        if ((what.varying | what.relative) != 0) read_own(what, symbol, length);
    }

    void read_own(const StoredSignature& what, std::uint32_t symbol, std::uint64_t length) {
        if ((what.varying & kTimes) != 0) {
            std::uint64_t outside_ns = 0;
            columns.code_polls(bits, symbol, call.times, outside_ns);
            if (call.times != 1) call.polling_ns = length - outside_ns;
        }
        if ((what.varying & ~kTimes) == 0 && what.relative == 0) return;
        own.parameters = what.signature.parameters;
        if ((what.varying & ~kTimes) != 0) {
            own.requests = what.signature.requests;
            own.completed = what.signature.completed;
            own.counts = what.signature.counts;
            columns.code_fields(bits, symbol, what.varying, own);
        }
        if (what.relative != 0) {
            make_absolute(own.parameters, what.relative, places.in(what.signature.parameters.object));
        }
        parameters = &own.parameters;
    }

    bool seek(std::uint64_t ns) {
        const auto after = std::ranges::upper_bound(
            stream->blocks, ns, {}, [this](const CallsBlock& described) { return clock.common(described.latest_ns); });
        last_begin_ns = 0;
        if (!open(static_cast<std::size_t>(after - stream->blocks.begin()))) return false;
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
const Parameters& Cursor::parameters() const { return *impl_->parameters; }
std::uint32_t Cursor::signature() const { return impl_->kind; }

TraceFile::TraceFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
    impl_->path = path;
    impl_->file.open(path, std::ios::binary | std::ios::ate);
    require(impl_->file.is_open(), path + ": cannot be opened");
    impl_->file_bytes = static_cast<std::uint64_t>(std::max<std::streamoff>(impl_->file.tellg(), 0));
    std::string magic(kTraceMagic.size(), '\0');
    require(impl_->read_at(0, magic.size(), magic.data()) && magic == kTraceMagic,
            path + ": is not a Waywiser trace of version 1");
    impl_->read_blocks();
    impl_->count_what_is_left();
    impl_->apply_clocks(impl_->stored.hosts);
}

TraceFile::~TraceFile() = default;
const TraceJob& TraceFile::job() const { return impl_->job; }
std::uint32_t TraceFile::signatures() const { return impl_->kind_count; }

Cursor TraceFile::cursor(std::size_t stream) const {
    require(stream < impl_->streams.size(), "the trace has " + std::to_string(impl_->streams.size()) + " streams");
    return Cursor(std::make_unique<Cursor::Impl>(*impl_, stream));
}

void TraceFile::set_clocks(std::vector<HostClock> clocks) {
    require(clocks.size() == impl_->stored.hosts.size(),
            "expected the clocks of " + std::to_string(impl_->stored.hosts.size()) + " hosts");
    impl_->apply_clocks(std::move(clocks));
}

}  // namespace waywiser::trace
